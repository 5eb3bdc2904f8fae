// SPDX-License-Identifier: BSD-3-Clause
// One interface's UDP socket, with which two hosts check whether packets of the one reach the
// other: numbered datagrams, never fragmented and never sent again. Knows nothing of MPI; the hosts
// agree by other means which one sends what. Called by measure/check_links.cpp.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <vector>

#include "eco/base/units.h"

namespace eco {

// An address of an interface that is up (as in interfaces.h), with its network.
struct LinkAddress {
    in6_addr address{}, network{};
    int prefix = 0, mtu = 0;
};

// Those of this host that can lead to others: without the loopback, bridges inside the host, and
// interfaces without a carrier.
std::vector<LinkAddress> link_addresses();

class LinkSocket {
public:
    // Throws Error{environment}.
    explicit LinkSocket(const LinkAddress& own);
    ~LinkSocket();
    LinkSocket(const LinkSocket&) = delete;
    LinkSocket& operator=(const LinkSocket&) = delete;

    // Of the datagrams, and of a listener beside it that every TCP connection reaches. Network byte
    // order; 0: there is no listener.
    in_port_t port() const { return port_; }
    in_port_t listener() const { return listener_port_; }

    // One datagram, an IP packet of `bytes`; whether this host let it out.
    bool send(const in6_addr& to, in_port_t port, std::uint32_t number, int bytes) const;
    // Marks which numbers have come, until as many as `enough` are marked or nothing has come for
    // `patience`; how many are marked.
    int receive(std::vector<bool>& came, int enough, Seconds patience) const;

    // Whether a TCP connection to a listener there comes about in that time.
    bool connects(const LinkAddress& own, const in6_addr& to, in_port_t port,
                  Seconds patience) const;

private:
    bool ipv4_ = true;
    int socket_ = -1, listening_ = -1;
    in_port_t port_ = 0, listener_port_ = 0;
};

}  // namespace eco
