// SPDX-License-Identifier: BSD-3-Clause
// One process's UDP sockets: one in its job's multicast group (IPv4), one of its own, which all
// that it sends comes from and which others may answer to. Sends and takes datagrams; knows nothing
// of messages, losses or repairs: those are mcast_sender.h and mcast_receiver.h. Not for two
// threads at once.
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
    // Joins the group on all these interfaces; sends by the first. Throws Error{environment}.
    McastSocket(const McastGroup& group, const std::vector<McastInterface>& interfaces);
    ~McastSocket() override;
    McastSocket(const McastSocket&) = delete;
    McastSocket& operator=(const McastSocket&) = delete;

    void send_by(const McastInterface& interface);

    std::size_t send(std::span<const Datagram> datagrams, McastAddress to) override;
    bool receive(std::size_t most, const Take& take) override;
    void sleep(Seconds longest) override;

private:
    void close_all();
    void join(const std::vector<McastInterface>& interfaces);
    bool receive_by(int socket, std::size_t most, const Take& take);

    int group_socket_ = -1, own_socket_ = -1;
    McastGroup group_;
    struct Buffers;
    std::unique_ptr<Buffers> buffers_;
};

}  // namespace eco
