// SPDX-License-Identifier: BSD-3-Clause
// By which NIC each host multicasts with one family of addresses, and who receives it: found by
// probes. Then sends and receives datagrams in rounds, each of which takes only its own. Called by
// measure_mcast.h.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "eco/mpi/native.h"
#include "eco/topology/measured_rails.h"
#include "eco/transport/mcast_channel.h"
#include "eco/transport/mcast_socket.h"

namespace eco {

// After the last datagram of a round.
inline constexpr Seconds last_datagram = 60e-3;

class McastWay {
public:
    // Collective over MPI_COMM_WORLD. leader: per host the rank that sends and receives, below 0:
    // none. not_joining: networks whose NICs are left out (joined_networks.h). rails: on rank 0,
    // null where not known; of several NICs by which a host reaches as many others, the fastest is
    // taken. About 0.2 s on eight hosts; up to four times as long where probes are lost. Throws
    // MpiError.
    McastWay(IpFamily family, const McastKey& key, const std::vector<int>& leader,
             const std::set<std::string>& not_joining, const MeasuredRails* rails);

    IpFamily family() const { return family_; }
    // Per host, of the NIC by which it sends; empty: it does not. The same on all ranks.
    const std::vector<std::string>& cards() const { return used_; }
    // Row = sender, column = receiver; each host reaches itself. The same on all ranks.
    const std::vector<std::vector<bool>>& reach() const { return reach_; }
    // Pairs of hosts, each with itself too; and how many there would be if all reached all.
    int reached() const;
    int every_pair() const;
    // Of a message in one datagram that fits the least MTU of those that take part. Collective.
    Bytes shared_payload() const;
    Bytes payload_of(Bytes mtu) const;

    // From here on only datagrams of the new round are received. All ranks call it alike.
    void begin_round() { ++round_; }
    // False where the kernel has no place for it now, or where this host does not send.
    bool send(int index, Bytes bytes, const McastAddress& to = all_of_the_job);
    // What has come of this round, by take(header), until then.
    template <typename Take>
    void receive(Seconds until, Take take) {
        while (socket_) {
            const Seconds left = until - mcast_now();
            socket_->sleep(left < 0 ? 0 : left < 0.01 ? left : 0.01);
            while (socket_->receive(32, [&](const McastHeader& header, std::span<const std::byte>,
                                            const McastAddress&) {
                if (header.key == key_ && header.call == round_) take(header);
            }))
                continue;
            if (left <= 0) return;
        }
    }
    // Which one this process sends and receives for; below 0: none.
    int host() const { return host_; }
    // This host's, on which it has joined the group.
    const std::vector<McastInterface>& nics() const { return nics_; }
    bool is_open() const { return socket_ != nullptr; }

private:
    void open(const std::set<std::string>& not_joining);
    void send_probes();
    void share_cards(const MeasuredRails* rails);
    void choose();
    std::string card(std::size_t host, std::size_t nic) const;

    const Native& mpi_ = native();
    const IpFamily family_;
    const McastKey key_;
    const std::vector<int>& leader_;
    const std::size_t hosts_;
    int rank_ = 0, ranks_ = 0, host_ = -1;
    std::vector<McastInterface> nics_;
    std::unique_ptr<McastSocket> socket_;
    McastHeader header_{};
    std::vector<std::byte> padding_;
    std::uint32_t round_ = 0;
    std::vector<int> received_;   // per sender and NIC of its
    std::string cards_;           // per rank and NIC of its
    std::vector<double> speeds_;  // per host and NIC of its; 0: not known
    std::size_t own_;             // by which this host sends; beyond all: none
    std::vector<std::vector<bool>> reach_;
    std::vector<std::string> used_;
};

}  // namespace eco
