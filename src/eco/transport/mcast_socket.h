// SPDX-License-Identifier: BSD-3-Clause
// One process's UDP sockets: one in its job's multicast group (IPv4), and one of its own, from
// which it sends everything and to which others may answer. Sends and receives datagrams; knows
// nothing of messages, losses or repairs: those are in mcast_sender.h and mcast_receiver.h. Not for
// two threads at the same time.
#pragma once

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

// Those of this host that are up, but for the loopback and bridges inside the host; by name.
std::vector<McastInterface> mcast_interfaces();

// Derived from the key: the organisation's local range, 239.192.0.0/14, and a port.
struct McastGroup {
    std::uint32_t address = 0;  // host byte order
    std::uint16_t port = 0;
};
McastGroup mcast_group(const McastKey& key);

class McastSocket : public Datagrams {
public:
    // Sends by the first of these interfaces. joins: the group on all of them, else another process
    // of this host does, which is there as long as this one. Linux tells switches of the last
    // process of a host that leaves and of the first that joins: so only one may join, or it could
    // not say_again(). Throws Error{environment}.
    McastSocket(const McastGroup& group, const std::vector<McastInterface>& interfaces,
                bool joins = true);
    ~McastSocket() override;
    McastSocket(const McastSocket&) = delete;
    McastSocket& operator=(const McastSocket&) = delete;

    void send_by(const McastInterface& interface);

    std::size_t send(std::span<const Datagram> datagrams, McastAddress to) override;
    bool receive(std::size_t most, const Take& take) override;
    void sleep(Seconds longest) override;
    void say_again() override;

private:
    void close_all();
    void bind_group();
    bool set_membership(int option, const McastInterface& interface);
    bool receive_by(int socket, std::size_t most, const Take& take);

    int group_socket_ = -1, own_socket_ = -1;
    McastGroup group_;
    std::vector<McastInterface> joined_;
    struct Buffers;
    std::unique_ptr<Buffers> buffers_;
};

}  // namespace eco
