// SPDX-License-Identifier: BSD-3-Clause
// The receiving side of one call's multicasts: puts datagrams into their places, in whatever order
// and however often they arrive, and says what is complete and what is missing. Does not block and
// does not use MPI; used by McastTransport. Another thread may hand over datagrams.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "eco/transport/mcast_channel.h"
#include "eco/transport/mcast_control.h"

namespace eco {

class McastReceiver {
public:
    // expects_losses: losses are likely.
    McastReceiver(McastChannel& channel, Rank me, bool expects_losses)
        : channel_(channel), me_(me), expects_losses_(expects_losses) {}

    // rate: as the sender's.
    void add(int id, Rank from, std::uint32_t message, void* data, Bytes bytes, double rate);

    void take(const McastHeader& header, std::span<const std::byte> data);
    // What a sender sent again, to this rank alone. Throws Error where it is of another length.
    void take(Rank from, const McastAnswer& answer);

    // What is left of a message comes by the caller's means, into this place; empty: it is whole.
    std::optional<std::span<std::byte>> take_apart(Rank from, std::uint32_t message,
                                                   std::uint32_t first);
    void apart_came(Rank from, std::uint32_t message);

    // What should be told to a sender now: by a message, of which at most one at a time asks; by a
    // datagram, which may be lost.
    struct Due {
        Rank to;
        std::optional<McastStatus> message, datagram;
    };
    std::vector<Due> due();
    // Until something may be due that no datagram brings about.
    Seconds until_due() const;

    // Messages that are whole, since the last call.
    std::vector<int> ended();
    bool is_complete() const;
    bool owes() const;

    // Whether anything had to be sent again.
    bool has_lost() const { return has_lost_; }

private:
    struct Message {
        int id = 0;
        std::byte* data = nullptr;
        Bytes bytes = 0;
        std::vector<bool> have;
        std::uint32_t missing = 0, next = 0;  // next: after the last that has come
        std::uint32_t apart = no_datagram;    // from here on it comes by other means
    };
    struct Source {
        std::map<std::uint32_t, Message> open;
        // What came before its place was known.
        struct Early {
            std::uint32_t message, index;
            std::vector<std::byte> data;
            McastKind kind;
        };
        std::vector<Early> early;
        std::set<std::uint32_t> done;
        std::vector<std::uint32_t> whole;  // of those, not said yet
        std::uint32_t received = 0, by_multicast = 0, said = 0;
        std::uint32_t last_message = 0;  // that anything has come of
        Seconds last_arrival = 0;        // or began to wait
        Seconds last_new_arrival = 0;    // what was not sent again
        Seconds gap = 0;                 // since when one is known; 0: none
        // asked: by a message, which has not been answered; if nothing had been received, the
        // answer may be that both give up.
        bool has_sent = false, asked = false, status_request_before_data = false;
        int asks = 0;          // by datagrams, since anything came
        Seconds next_ask = 0;  // not before
        bool shows = false;    // has not told by a datagram yet that all is whole
        Seconds frame = 0;     // a datagram's time on the wire
    };
    void put(Source& source, std::uint32_t message, std::uint32_t index,
             std::span<const std::byte> data, McastKind kind);
    bool fits(const Source& source, std::uint32_t message, std::uint32_t index,
              std::size_t bytes) const;
    void note_pause(Source& source, const McastHeader& header);
    void find_gap(Source& source) const;
    std::vector<McastRange> missing_of(const Source& source, bool all) const;
    Seconds patience_ends(const Source& source) const;

    void end(Source& source, std::uint32_t message);
    void ask(Source& source, McastStatus& status, bool by_datagram,
             std::vector<McastRange>& missing);
    bool may_ask(const Source& source, Seconds now) const;
    McastStatus status_of(const Source& source) const;

    static constexpr std::uint32_t no_datagram = 0xffffffff;
    McastChannel& channel_;
    const Rank me_;
    bool expects_losses_, has_lost_ = false;
    mutable std::mutex mutex_;
    std::map<Rank, Source> sources_;
    std::vector<int> ended_;
    int open_ = 0;
    Bytes early_bytes_ = 0;
    Seconds last_arrival_from_any_ = 0;
};

}  // namespace eco
