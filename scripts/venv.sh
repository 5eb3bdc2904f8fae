# SPDX-License-Identifier: BSD-3-Clause
# Sourced: make_venv FOLDER REQUIREMENTS [CONSTRAINTS] makes or completes a virtual environment.
#
# A complete one carries stamps, a line for each list of pins that it is known to hold. One that was
# interrupted carries the mark `incomplete` and is made again. One without either is taken over if its
# packages are right.

# Debian's own interpreter: python3 on PATH may be a shim whose version changes with the folder.
eco_python=/usr/bin/python3

venv_stamp() {
    { "$eco_python" --version && cat "$@"; } | sha256sum | cut -d' ' -f1
}

# Scripts in an environment name its interpreter by full path, so a moved one is of no use.
venv_is_here() {
    # In the first line, or in the second if a path is too long for that.
    [[ -x $1/bin/python && ! -e $1/incomplete ]] && head -n2 "$1/bin/pip" 2>/dev/null | grep -qF -e "#!$1/bin/" -e "\"$1/bin/python"
}

venv_holds() {
    local pin have
    have=$("$1/bin/python" -m pip freeze 2>/dev/null) || return 1
    for pin in $(grep -h '^[A-Za-z]' "${@:2}"); do
        grep -qixF "${pin//_/-}" <<<"${have//_/-}" || return 1
    done
}

make_venv() {
    local venv constraints=() stamp
    # Its own path, also where the folder is a link: several checkouts may share one, and what another
    # of them made must not look as if it had been moved, and be deleted while it is in use.
    venv=$(realpath -m "$1")
    shift
    [[ -n ${2:-} ]] && constraints=(--constraint "$2")
    stamp=$(venv_stamp "$@")
    if venv_is_here "$venv"; then
        grep -sqxF "$stamp" "$venv/stamp" && return
        if venv_holds "$venv" "$@"; then
            echo "$stamp" >>"$venv/stamp"
            return
        fi
    fi
    # In place only where a complete one needs other versions; everything else starts empty.
    if ! venv_is_here "$venv" || [[ ! -e $venv/stamp ]]; then
        rm -rf "$venv"
    fi
    echo "eco: making ${venv#"$PWD/"}" >&2
    mkdir -p "$venv"
    touch "$venv/incomplete"
    [[ -x $venv/bin/pip ]] || "$eco_python" -m venv "$venv"
    env -u PYTHONPATH -u PYTHONHOME -u PIP_USER PYTHONNOUSERSITE=1 \
        "$venv/bin/python" -m pip install --quiet --no-input --only-binary :all: \
        --disable-pip-version-check --requirement "$1" "${constraints[@]}" >&2
    echo "$stamp" >"$venv/stamp"
    rm "$venv/incomplete"
}
