#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# install.sh PREFIX [PRESET]: PREFIX/bin/eco, and all it uses under PREFIX/lib/eco. Nothing there
# points back to this checkout. Repeated, it brings an installation up to date.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
source scripts/venv.sh
prefix=${1:?install.sh needs a PREFIX} preset=${2:-release}
# Not every shell expands the tilde in `make install PREFIX=~/.local`.
[[ $prefix == "~" || $prefix == "~/"* ]] && prefix=$HOME${prefix:1}
mkdir -p "$prefix/bin" "$prefix/lib/eco" || {
    echo "eco: cannot write to $prefix: choose another PREFIX, or install as its owner" >&2
    exit 5
}
prefix=$(realpath "$prefix")
lib=$prefix/lib/eco

make_venv "$lib/venv" requirements.txt requirements.lock
# The package is plain files, and pip could only build it with tools that bare Debian lacks.
site=$("$lib/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
rm -rf "$site/eco.new"
cp -r python/eco "$site/eco.new"
find "$site/eco.new" -name __pycache__ -prune -exec rm -rf {} +
rm -rf "$site/eco"
mv "$site/eco.new" "$site/eco"
"$lib/venv/bin/python" -m compileall -q "$site/eco"

# `install` replaces files, so programs that run with the old ones keep them.
for part in "build/$preset"/lib/{libeco-*,_engine.*}.so "build/$preset"/bin/eco-probe-* "build/$preset"/bin/eco-lab-relay; do
    [[ -e $part ]] && install -m 755 "$part" "$lib/"
done
install -m 755 "build/$preset/bin/eco" "$prefix/bin/eco"
install -m 644 -D -t "$prefix/include" include/eco.h include/eco.f90
install -m 644 -D -t "$prefix/share/eco" include/eco_topology.py

echo "installed $("$prefix/bin/eco" --version) as $prefix/bin/eco"
case :$PATH: in
    *:$prefix/bin:*) ;;
    *) echo "add it to PATH: export PATH=$prefix/bin:\$PATH" ;;
esac
