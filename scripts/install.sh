#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# install.sh PREFIX [PRESET]: PREFIX/bin/eco, and all it uses under PREFIX/lib/eco: what
# `cmake --install` places, and a virtual environment with the Python packages that it needs.
# Nothing there points back to this checkout. Repeated, it brings an installation up to date.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
source scripts/paths.sh
source scripts/venv.sh
prefix=$(expand_tilde "${1:?install.sh needs a PREFIX}") preset=${2:-release}
check_path "$prefix" "choose a PREFIX"
mkdir -p "$prefix/bin" "$prefix/lib/eco" || {
    echo "eco: cannot write to $prefix: choose another PREFIX, or install as its owner" >&2
    exit 5
}
prefix=$(realpath "$prefix")
lib=$prefix/lib/eco

make_venv "$lib/venv" requirements.txt requirements.lock

# Stripped into a folder beside it, then each file renamed into its place: programs that run with
# the old ones keep them, and modules that ECO no longer has do not stay.
fresh=$(mktemp -d "$prefix/lib/eco.XXXXXX")
trap 'rm -rf "$fresh"' EXIT
DESTDIR=$fresh cmake --install "build/$preset" --prefix / --strip >"build/$preset/install.log"
(cd "$fresh" && find . -type f -o -type l) | sed 's|^\./||' >"$fresh/lib/eco/installed"
rm -rf "$lib/python.old"
[[ ! -e $lib/python ]] || mv "$lib/python" "$lib/python.old"
mv "$fresh/lib/eco/python" "$lib/python"
rm -rf "$lib/python.old"
rm -rf "$lib"/venv/lib/python3.*/site-packages/eco # where it was before 0.1.0
cp -r --remove-destination "$fresh/." "$prefix/"
"$lib/venv/bin/python" -m compileall -q "$lib/python"

echo "installed $("$prefix/bin/eco" --version) as $prefix/bin/eco"
case :$PATH: in
    *:$prefix/bin:*) ;;
    *) echo "add it to PATH: export PATH=$prefix/bin:\$PATH" ;;
esac
