#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fault.sh HOST:FAULT… -- PROGRAM…: breaks something on this host, then becomes the program. The
# host's network is its own, so nothing else is touched. HOST may be `all`. For doctor_breaks.py.
host=$(uname -n)
number=$(ip -4 -o addr show dev eth0 | sed 's|.*inet [0-9]*\.[0-9]*\.[0-9]*\.\([0-9]*\)/.*|\1|')

# fake PATH TEXT: from here on a file of /sys holds that text, for what this process becomes.
fake() {
    [ "$private" ] || return 0
    printf '%s\n' "$2" >"$private/fake" && mount --bind "$private/fake" "$1"
}

# drop MATCH…: such packets never come in; they end where nobody listens.
drop() {
    ip link add sink type veth peer name drain
    ip link set drain up
    ip link set sink up
    tc qdisc add dev eth0 ingress
    tc filter add dev eth0 parent ffff: protocol ip prio 9 u32 "$@" \
        action mirred egress redirect dev sink
}

# islands ADDRESS: twelve networks of that address, with a number for %, that join nobody.
islands() {
    i=1
    while [ $i -le 12 ]; do
        ip link add "vf$i" type veth peer name "nowhere$i"
        ip addr add "$(echo "$1" | sed "s/%/$i/")" dev "vf$i"
        ip link set "nowhere$i" up
        ip link set "vf$i" up
        i=$((i + 1))
    done
}

# Mounts of this process alone: the same script once more in a namespace of its own.
case " $* " in
*" $host:clock "* | *" $host:governor "* | *" all:clock "* | *" all:governor "*)
    [ "$ECO_TEST_PRIVATE" ] || exec env ECO_TEST_PRIVATE=1 unshare -m -- "$0" "$@"
    private=$(mktemp -d) && mount -t tmpfs none "$private"
    ;;
esac

while [ "$1" != "--" ]; do
    case $1 in
    "$host":*) fault=${1#"$host":} ;;
    all:*) fault=${1#all:} ;;
    *) fault= ;;
    esac
    case $fault in
    mtu) ip link set eth0 mtu 1300 ;; # no less than 1,280, or IPv6 is gone
    # More than what switches on the way take; TCP's segments fit.
    jumbo)
        ip link set eth0 mtu 9000
        ip route change "$(ip route show dev eth0 proto kernel | cut -d" " -f1)" dev eth0 advmss 1400
        ;;
    bridge)
        ip link add docker0 type bridge
        ip addr add 172.17.0.1/16 dev docker0
        ip link set docker0 up
        ;;
    # A network that every host has an address in, and that joins none.
    island)
        ip link add eth7 type veth peer name nowhere
        ip addr add "10.77.0.$number/24" dev eth7
        ip link set nowhere up
        ip link set eth7 up
        ;;
    vf) islands "10.200.%.$number/24" ;;
    same) islands "10.201.%.1/24" ;; # on all hosts
    # As a switch on the way with a smaller MTU, that says nothing.
    short-path) drop match u16 0x0580 0xff80 at 2 ;;
    # As where routers are between all hosts: each is alone in its network.
    routed)
        own=$(ip -4 -o addr show dev eth0 | sed 's|.*inet \([0-9./]*\).*|\1|')
        ip addr del "$own" dev eth0
        ip addr add "${own%/*}/32" dev eth0
        ip route add 10.9.0.0/16 dev eth0 src "${own%/*}"
        ;;
    no-udp) drop match ip protocol 17 0xff ;;
    # What the lab sets; not what `eco doctor` tries.
    any-interface)
        [ "$OMPI_MCA_btl_tcp_if_include" != eth0 ] || unset OMPI_MCA_btl_tcp_if_include
        unset PMI_HOSTNAME
        ;;
    environment) unset ECO_DOCTOR ;;
    multicast) ip link set eth0 multicast off ;;
    no-slow-restart) echo 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle ;;
    clock) fake /sys/devices/system/clocksource/clocksource0/current_clocksource hpet ;;
    governor)
        cp -r /sys/devices/system/cpu/cpu0/topology /sys/devices/system/cpu/cpu0/cache "$private"/ \
            2>/dev/null
        mkdir -p "$private/cpufreq"
        echo powersave >"$private/cpufreq/scaling_governor"
        mount --bind "$private" /sys/devices/system/cpu/cpu0
        ;;
    # An algorithm that somebody has set, in pieces that are far too small.
    pieces)
        export OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=5
        export OMPI_MCA_coll_tuned_allreduce_algorithm_segmentsize=64 OMPI_MCA_coll=^han,adapt
        ;;
    build) other_build=yes ;;
    alone) alone=yes ;;
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
