# SPDX-License-Identifier: BSD-3-Clause
# Sourced: paths that users give.

# The tilde of `make install PREFIX=~/.local`, which not every shell expands.
expand_tilde() {
    [[ $1 == "~" || $1 == "~/"* ]] && echo "$HOME${1:1}" || echo "$1"
}

# check_path PATH WHAT: ends with exit code 2 if no program could be run with what lies there; WHAT
# the user can do.
check_path() {
    [[ $1 == *[[:space:]:]* ]] || return 0
    echo "eco: $1: $2 without space and colon, as LD_PRELOAD cannot name others" >&2
    exit 2
}
