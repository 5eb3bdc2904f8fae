#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fault.sh HOST:FAULT… -- PROGRAM…: breaks something on this host, then becomes the program. The
# host's network is its own, so nothing else is touched. For test_doctor.py.
host=$(uname -n)
while [ "$1" != "--" ]; do
    case $1 in
    "$host":mtu | all:mtu) ip link set eth0 mtu 1200 ;;
    "$host":bridge)
        ip link add docker0 type bridge
        ip addr add 172.17.0.1/16 dev docker0
        ip link set docker0 up
        ;;
    all:any-interface) unset OMPI_MCA_btl_tcp_if_include ;;
    "$host":environment) unset ECO_DOCTOR ;;
    "$host":multicast | all:multicast) ip link set eth0 multicast off ;;
    "$host":build) other_build=yes ;;
    "$host":alone | all:alone) alone=yes ;;
    esac
    shift
done
shift
# `eco probe` is what follows: the same with another build, or the library of another launcher.
if [ "$other_build" ]; then
    shift 2
    exec "$ECO_TEST_OTHER_PROBE" "$@"
fi
if [ "$alone" ]; then
    eco=$1
    shift 2
    exec "$eco" probe --mpi openmpi "$@" --libmpi "$ECO_TEST_OPENMPI"
fi
exec "$@"
