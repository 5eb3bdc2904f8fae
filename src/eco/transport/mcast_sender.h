// SPDX-License-Identifier: BSD-3-Clause
// The sending side of one call's multicasts: which datagrams leave next, how far ahead of the
// slowest receiver, what is sent again. Neither blocks nor touches MPI; used by McastTransport.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "eco/transport/mcast_channel.h"
#include "eco/transport/mcast_control.h"

namespace eco {

class McastSender {
public:
    // me: this rank in the communicator.
    McastSender(McastChannel& channel, const McastCall& call, Rank me)
        : channel_(channel), call_(call), me_(me) {}

    // rate: bytes on the wire per second that reach all of `to` without loss. The memory stays as
    // it is until ended() has given `id`.
    void add(int id, std::uint32_t message, const void* data, Bytes bytes, std::span<const Rank> to,
             double rate);

    // Sends what may be sent. False if nothing could; wait: until it is worth another try, or
    // infinite where a receiver must speak first.
    bool send(Seconds& wait);

    // What a receiver said; whether it wants the answer.
    bool take(Rank from, const McastStatus& status, McastAnswer& answer);

    // How many statuses that say a message is whole are still to come from this rank.
    int awaited_from(Rank rank) const;

    // Messages that all their receivers have, since the last call.
    std::vector<int> ended() { return std::exchange(ended_, {}); }
    bool has_unsent() const { return !queue_.empty(); }

    // Datagrams that were multicast to this rank so far, and how many of them came so.
    std::int64_t addressed(Rank rank) const { return peer(rank).addressed; }
    std::int64_t arrived(Rank rank) const { return peer(rank).heard; }
    bool lost_any() const { return lost_any_; }

private:
    struct Message {
        int id = 0;
        const std::byte* data = nullptr;
        Bytes bytes = 0;
        std::uint32_t datagrams = 0, next = 0;
        std::vector<Seconds> left;  // per datagram, when
        double rate = 0;
        std::vector<Rank> to;
        std::set<Rank> missing;  // receivers that have not said that they have it
    };
    struct Peer {
        std::int64_t addressed = 0, received = 0, heard = 0;
        int awaited = 0;
    };
    Peer peer(Rank rank) const {
        const auto found = peers_.find(rank);
        return found == peers_.end() ? Peer{} : found->second;
    }
    std::int64_t room(const Message& message) const;
    std::span<const std::byte> piece(const Message& message, std::uint32_t index) const;

    McastChannel& channel_;
    McastCall call_;
    Rank me_;
    std::map<std::uint32_t, Message> messages_;
    std::deque<std::uint32_t> queue_;  // those with datagrams that have not left
    std::map<Rank, Peer> peers_;
    std::vector<int> ended_;
    bool lost_any_ = false;
};

}  // namespace eco
