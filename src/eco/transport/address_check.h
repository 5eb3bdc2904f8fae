// SPDX-License-Identifier: BSD-3-Clause
// Which addresses of other hosts answer this host: TCP connections, all tried at once. Knows
// nothing of MPI: hosts learn each other's addresses by other means. Called by
// measure/joined_networks.cpp, by messages of MPI, and by measure/reach.cpp, without MPI.
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <string>
#include <vector>

#include "eco/base/units.h"
#include "eco/transport/link_socket.h"

namespace eco {

// What others must know of a host. Its text is NAME=PORT+ADDRESS/PREFIX+…
struct HostAddresses {
    std::string name;
    in_port_t port = 0;  // of its listener, in this host's byte order; 0: it has none
    std::vector<LinkAddress> addresses;
};
std::string to_text(const HostAddresses& host);
// Separated by commas; what is no such text is left out.
std::vector<HostAddresses> hosts_of(const std::string& text);

// Listens on all addresses of this host, by IPv4 and IPv6. Connections come about without a word of
// this process's.
class Listener {
public:
    // wanted: the port, in this host's byte order; 0: any.
    explicit Listener(in_port_t wanted = 0);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    in_port_t port() const { return port_; }  // 0: there is none

private:
    int socket_ = -1;
    in_port_t port_ = 0;
};

// One connection to try.
struct AddressTry {
    std::size_t peer = 0;  // the index of the other host
    LinkAddress own, theirs;
    bool routed = false;  // they share no network
    bool connects = false;
};

// Those that one host makes: in each network to the next host that has an address in it, and to
// those 2, 4, 8 … places further; to all of at most sixteen. An address that several hosts have is
// none that joins them: what has it is in `twice`. Where two hosts share no network, by routers,
// between the first addresses.
struct AddressTries {
    std::vector<AddressTry> tries;
    std::vector<LinkAddress> twice;  // of this host
};
AddressTries address_tries(const std::vector<HostAddresses>& hosts, std::size_t own);

// Notes what connects within that time; refused connections are tried again until then, as the
// other host may not listen yet.
void connect_all(std::vector<AddressTry>& tries, const std::vector<HostAddresses>& hosts,
                 Seconds patience);

}  // namespace eco
