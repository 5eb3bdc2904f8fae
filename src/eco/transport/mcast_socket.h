// SPDX-License-Identifier: BSD-3-Clause
// One process's UDP sockets: one in its job's multicast group, of IPv4 or of IPv6, and one of its
// own, from which it sends everything and to which others may answer. Sends and receives datagrams;
// knows nothing of messages, losses or repairs: those are in mcast_sender.h and mcast_receiver.h.
// Not for two threads at the same time.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "eco/transport/mcast_datagram.h"

namespace eco {

// A NIC that can multicast.
struct McastInterface {
    std::string name;
    int index = 0;  // the kernel's
    Bytes mtu = 0;
};

// Those of this host that are up and have an address of this family, but for the loopback and
// bridges inside the host; by name.
std::vector<McastInterface> mcast_interfaces(IpFamily family);

class McastSocket : public Datagrams {
public:
    // Sends by the first of these interfaces. joins: the group on it and on as many of the others
    // as the kernel allows, else another process of this host does, which is there as long as this
    // one. Linux tells switches of the last process of a host that leaves and of the first that
    // joins: so only one may join, or it could not say_again(). Throws Error{environment}.
    McastSocket(const McastAddress& group, const std::vector<McastInterface>& interfaces,
                bool joins = true);
    ~McastSocket() override;
    McastSocket(const McastSocket&) = delete;
    McastSocket& operator=(const McastSocket&) = delete;

    void send_by(const McastInterface& interface);

    std::size_t send(std::span<const Datagram> datagrams, const McastAddress& to) override;
    bool receive(std::size_t most, const Take& take) override;
    void sleep(Seconds longest) override;
    void say_again() override;
    IpFamily family() const override { return family_of(group_); }

private:
    void close_all();
    void bind_group();
    void join(const std::vector<McastInterface>& interfaces);
    int open_socket();
    bool set_membership(int option, const McastInterface& interface);
    bool send_run(std::span<const Datagram> run, const msghdr& first);
    bool receive_by(int socket, std::size_t most, const Take& take);

    int group_socket_ = -1, own_socket_ = -1;
    bool cuts_ = true;  // the kernel cuts a run of datagrams
    McastAddress group_;
    std::vector<McastInterface> joined_;
    struct Buffers;
    std::unique_ptr<Buffers> buffers_;
};

}  // namespace eco
