#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bound.sh MACHINE "PROCESSORS…" PROGRAM…: runs a rank bound to its own of the processors, in turn,
# on a machine that is another one to hwloc (lstopo's synthetic form).
rank=${OMPI_COMM_WORLD_RANK-$PMI_RANK}
export HWLOC_SYNTHETIC="$1"
list=$2
shift 2
take() { shift $(($1 % ($# - 1) + 1)); echo "$1"; }
exec taskset -c "$(take "$rank" $list)" "$@"
