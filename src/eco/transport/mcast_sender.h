// SPDX-License-Identifier: BSD-3-Clause
// The sending side of one call's multicasts: which datagrams leave next, how far ahead of the
// slowest receiver, what is sent again and to whom. Does not block and does not use MPI; used by
// McastTransport.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "eco/transport/mcast_channel.h"
#include "eco/transport/mcast_control.h"

namespace eco {

class McastSender {
public:
    // Of earlier calls of this rank's that have left: datagrams that a receiver has not taken yet,
    // or nothing if it has all.
    using Behind = std::function<std::optional<std::int64_t>(Rank)>;

    // me: this rank in the communicator. expects_losses: losses are likely.
    McastSender(McastChannel& channel, const McastCall& call, Rank me, bool expects_losses,
                Behind behind)
        : channel_(channel),
          call_(call),
          me_(me),
          expects_losses_(expects_losses),
          behind_(std::move(behind)) {}

    // What its datagrams say (McastHeader); before add().
    void set_has_unreachable() { has_unreachable_ = true; }

    // rate: bytes on the wire per second that reach all of `to` without loss. The memory stays as
    // it is until ended() has given `id`.
    void add(int id, std::uint32_t message, const void* data, Bytes bytes, std::span<const Rank> to,
             double rate);

    // Sends what may be sent. False if nothing could; wait: until it is worth another try, or
    // infinite where a receiver must send first.
    bool send(Seconds& wait);

    // Whether all that can be sent now has been, and whoever has not got all of it is late: nothing
    // was received of it in this call since the last datagram left, for a while; or it has not come
    // to the end of an earlier one.
    bool waits_for_late_ones();
    // Copies the messages that have not ended: the memory that add() was given is not needed any
    // more, but for what goes to a rank by the caller's means.
    void keep();
    Bytes bytes_to_keep() const;
    void lose_kept();  // while the caller's means use it
    // As Behind says it, of this call.
    std::optional<std::int64_t> behind(Rank rank) const;

    // What a receiver said by a message; whether it wants the answer.
    bool take(Rank from, const McastStatus& status, McastAnswer& answer);
    // The same by a datagram: what it asks for is sent again to it, or to all where several ask.
    void take_status(Rank from, const McastStatus& status);

    // What is left of a message comes to a rank by the caller's means: where it begins. Nothing if
    // it does so already.
    std::optional<std::span<const std::byte>> take_apart(std::uint32_t message, Rank rank,
                                                         std::uint32_t first);

    // Messages that all their receivers have, since the last call.
    std::vector<int> ended() { return std::exchange(ended_, {}); }
    bool has_unsent() const { return !queue_.empty() || !again_.empty(); }
    // Whether anything was asked for.
    bool has_lost() const { return has_lost_; }

    // Of those to one rank: datagrams that were multicast, that came so, that it asked for.
    struct Peer {
        std::int64_t addressed = 0, received = 0, by_multicast = 0, lost = 0;
        Seconds spoke = 0;     // when it last did
        Seconds answered = 0;  // when it was last, by a message
        bool is_late = false;  // what it misses meanwhile is sent when it comes
        bool was_late = false;
    };
    const std::map<Rank, Peer>& peers() const { return peers_; }
    int task_of(std::uint32_t message) const { return messages_.at(message).id; }

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
        std::set<Rank> apart;    // of those, who get it by other means
        std::vector<std::byte> kept;
    };
    using Place = std::pair<std::uint32_t, std::uint32_t>;  // message, datagram
    std::int64_t room(const Message& message) const;
    bool is_late(Rank rank) const;
    void find_late(Seconds now);
    void note_lost(Rank rank, std::int64_t datagrams);
    Datagram datagram(std::uint32_t number, const Message& message, std::uint32_t index,
                      McastKind kind) const;
    void note(Rank from, const McastStatus& status);
    std::vector<Place> asked_for(Rank from, const McastStatus& status, Seconds under_way);
    bool send_next(Seconds& wait);
    bool send_again(Seconds& wait);
    bool remind(Seconds& wait);

    McastChannel& channel_;
    McastCall call_;
    Rank me_;
    bool expects_losses_, has_lost_ = false, has_unreachable_ = false;
    std::map<std::uint32_t, Message> messages_;
    std::deque<std::uint32_t> queue_;  // those with datagrams that have not left
    std::map<Place, std::set<Rank>> again_;
    std::map<Rank, Peer> peers_;
    std::vector<int> ended_;
    Seconds remind_at_ = 0, remind_after_ = 0;
    Seconds left_last_ = 0, frame_ = 0;  // a datagram: when one last left; its time on the wire
    Behind behind_;
};

}  // namespace eco
