#!/usr/bin/env bash
# Brings a bare Debian 12 to where the project builds: system packages, two real MPIs under
# .deps/, the project's Python environment in .venv. Does nothing, quickly, when all is there.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
root=$PWD
source scripts/venv.sh

say() { printf 'eco: %s\n' "$*" >&2; }

missing_packages() {
    local package
    while read -r package; do
        [[ $package == \#* || -z $package ]] && continue
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            echo "$package"
    done <scripts/packages.apt
}

install_packages() {
    local install=(apt-get install -y -q --no-install-recommends "$@")
    export DEBIAN_FRONTEND=noninteractive
    # Package lists may be absent (fresh image) or stale: refresh them only then.
    "${install[@]}" || { apt-get update -q && "${install[@]}"; }
}

if ! command -v dpkg-query >/dev/null; then
    say "this is no Debian: install what scripts/packages.apt names by your own package manager"
else
    # The check costs a moment per package, so its answer is kept until the list changes.
    stamp=.deps/packages.stamp
    if ! cmp -s scripts/packages.apt "$stamp"; then
        mapfile -t missing < <(missing_packages)
        if ((${#missing[@]})); then
            if ((EUID == 0)); then
                say "installing ${missing[*]}"
                install_packages "${missing[@]}" >&2
            else
                say "system packages are missing; paste this line, then run make again:"
                echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
                exit 5
            fi
        fi
        mkdir -p .deps && cp scripts/packages.apt "$stamp"
    fi
fi

make_venv "$root/.deps/openmpi" requirements-openmpi.txt
make_venv "$root/.deps/mpich" requirements-mpich.txt
make_venv "$root/.venv" requirements-dev.txt requirements.lock

# The checkout itself is the installed package: edits are seen at once.
echo "$root/python" >.venv/lib/eco.pth.new
for site in .venv/lib/python3.*/site-packages; do
    cmp -s .venv/lib/eco.pth.new "$site/eco.pth" || cp .venv/lib/eco.pth.new "$site/eco.pth"
done
rm .venv/lib/eco.pth.new
