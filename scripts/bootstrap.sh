#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bootstrap.sh [demo]: brings a bare Debian 12 to where the project builds: system packages, real
# MPIs under .deps/, the project's Python environment in .venv. With `demo` only what that needs:
# one MPI, no tests, no linters; without, what is missing is added. Quick when all is there.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
root=$PWD
part=${1:-all}
source scripts/paths.sh
source scripts/venv.sh

say() { printf 'eco: %s\n' "$*" >&2; }

check_path "$root" "move the checkout to a folder"

lists=(scripts/packages-demo.apt)
[[ $part == demo ]] || lists+=(scripts/packages.apt)

missing_packages() {
    local package
    while read -r package; do
        [[ $package == \#* || -z $package ]] && continue
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            echo "$package"
    done < <(cat "${lists[@]}")
}

install_packages() {
    local install=(apt-get install -y -q --no-install-recommends "$@")
    export DEBIAN_FRONTEND=noninteractive
    # Package lists may be absent (fresh image) or stale: refresh them only then.
    "${install[@]}" || { apt-get update -q && "${install[@]}"; }
}

# The check costs a moment per package, so its answer is kept until a list changes.
kept() { cmp -s "$1" ".deps/$(basename "$1").stamp"; }

missing=()
if ! command -v dpkg-query >/dev/null; then
    say "this is no Debian: install what scripts/packages*.apt name by your own package manager"
else
    for list in "${lists[@]}"; do
        kept "$list" && continue
        mapfile -t missing < <(missing_packages)
        break
    done
    if ((${#missing[@]} && EUID != 0)); then
        say "system packages are missing; paste this line, then run make again:"
        echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
        exit 5
    fi
fi

# Python's environments come from another place than Debian's packages, and need but one of these.
if ((${#missing[@]})); then
    say "installing ${missing[*]}"
    [[ " ${missing[*]} " != *" python3-venv "* ]] || install_packages python3-venv >&2
fi

environments() {
    make_venv "$root/.deps/openmpi" requirements-openmpi.txt
    if [[ $part == demo ]]; then
        make_venv "$root/.venv" requirements-demo.txt requirements.lock
    else
        make_venv "$root/.deps/mpich" requirements-mpich.txt
        make_venv "$root/.venv" requirements-dev.txt requirements.lock
    fi
    # The checkout itself is the installed package: edits are seen at once.
    echo "$root/python" >.venv/lib/eco.pth.new
    for site in .venv/lib/python3.*/site-packages; do
        cmp -s .venv/lib/eco.pth.new "$site/eco.pth" || cp .venv/lib/eco.pth.new "$site/eco.pth"
    done
    rm .venv/lib/eco.pth.new
}

environments &
making=$!
((${#missing[@]} == 0)) || install_packages "${missing[@]}" >&2 || {
    wait "$making" || true
    exit 5
}
wait "$making"
for list in "${lists[@]}"; do
    kept "$list" || cp "$list" ".deps/$(basename "$list").stamp"
done
