# SPDX-License-Identifier: BSD-3-Clause
# cmake -D LIST=… -D VERSION=… -D COMPILER=… -D FLAGS=… -D OUTPUT=… -P build_id.cmake
# Writes build_id.cpp: a hash of the sources that ranks decide by, of the compiler that made them and
# of its flags.
file(STRINGS ${LIST} sources)
# Packagers' flags that name folders, debug information, warnings or protections change no result,
# and may differ between hosts whose builds decide alike.
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
list(FILTER flags EXCLUDE REGEX "^-(g|W|pipe$|f[a-z]+-prefix-map=|fstack-|fcf-protection|mbranch-protection|[DU]_FORTIFY_SOURCE)")
list(JOIN flags " " flags)
set(all "${VERSION} ${COMPILER} ${flags}")
foreach(source ${sources})
  file(SHA256 ${source} hash)
  string(APPEND all " ${hash}")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT} "#include \"eco/job/build_id.h\"\n\nnamespace eco {\n\n\
const char* const build_text = \"eco-build ${VERSION} ${hash}\";\n\n}  // namespace eco\n")
