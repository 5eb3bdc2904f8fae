# SPDX-License-Identifier: BSD-3-Clause
# cmake -D LIST=… -D VERSION=… -D COMPILER=… -D OUTPUT=… -P build_id.cmake
# Writes build_id.cpp: a hash of the sources that ranks decide by and of the compiler that made them.
file(STRINGS ${LIST} sources)
set(all "${VERSION} ${COMPILER}")
foreach(source ${sources})
  file(SHA256 ${source} hash)
  string(APPEND all " ${hash}")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT} "#include \"eco/job/build_id.h\"\n\nnamespace eco {\n\n\
const char* const build_text = \"eco-build ${VERSION} ${hash}\";\n\n}  // namespace eco\n")
