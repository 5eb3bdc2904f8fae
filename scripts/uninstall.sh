#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# uninstall.sh PREFIX: removes what install.sh placed there, by the list that it left.
set -euo pipefail
source "$(dirname "$(realpath "$0")")/paths.sh"
prefix=$(expand_tilde "${1:?uninstall.sh needs a PREFIX}")
cd "$prefix" 2>/dev/null && [[ -e lib/eco/installed ]] || {
    echo "eco: $prefix holds nothing that make install placed (there is no lib/eco/installed)" >&2
    exit 2
}
mapfile -t files <lib/eco/installed
rm -f -- "${files[@]}"
rm -rf lib/eco
# Folders that are empty now; links to folders stay.
for file in "${files[@]}" lib/eco/installed; do
    rmdir -p -- "$(dirname "$file")" 2>/dev/null || true
done
rmdir lib 2>/dev/null || true
echo "removed ECO from $prefix"
