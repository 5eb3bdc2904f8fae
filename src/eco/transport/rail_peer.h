// SPDX-License-Identifier: BSD-3-Clause
// The state that RailMessages keeps for each peer and each message under way, and its wire format.
// For its own files only.
#pragma once

#include <bitset>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "eco/transport/in_turn.h"
#include "eco/transport/rails.h"

namespace eco {

struct RailBox;
using RailKey = std::pair<std::uint64_t, int>;  // context and tag

inline constexpr int slots = 16;                  // of each peer
inline constexpr int most_ways = 16;              // to one peer
inline constexpr int most_clear_to_sends = 1024;  // to one peer, open at once
inline constexpr Bytes longest_put = 1 << 30;

// A notification: two bits say what, ten which, twenty who.
enum class Note : std::uint32_t { slot, credits, stripe, connectivity_check };
inline constexpr std::uint32_t who_bits = 20, which_bits = 10;

inline std::uint32_t note(Note what, int which, Rank who) {
    return static_cast<std::uint32_t>(what) << (who_bits + which_bits) |
           static_cast<std::uint32_t>(which) << who_bits | static_cast<std::uint32_t>(who);
}

struct RailSend {
    RailBox* box;
    int id;
    const std::byte* data;
    Bytes bytes;
    Rank to;
    int most;
    std::unique_ptr<Registered> memory;
    int puts_left = 0;
};

struct RailReceive {
    RailBox* box;
    int id;
    std::byte* data;
    Bytes bytes;
    Rank from;
    RailKey key;
    int most;
    std::unique_ptr<Registered> memory;
    int puts_left = 0;
};

// What a slot begins with; the message or the stripes follow.
struct RailHeader {
    std::uint64_t context;
    Bytes bytes;
    std::int32_t tag;
    std::int32_t clear_to_send;  // -1: the message follows
    std::int32_t stripes;        // else so many of them
    std::int32_t unused;
};

struct RailStripe {
    Target where;
    Bytes bytes;
};

struct RailOutgoing {
    RailHeader header;
    int ways;
    std::vector<RailStripe> stripes;
    RailSend* send;  // null: an offer
};

// A slot's content that came before what it is for.
struct RailEarly {
    std::vector<std::byte> message;
    Bytes room;  // of what is clear to send
    std::int32_t clear_to_send;
    std::vector<RailStripe> stripes;
};

struct RailPeer {
    std::vector<Target> inbox;  // ours there, per way
    std::uint64_t filled = 0;   // slots so far
    int credits = slots;
    InTurn way;
    std::deque<RailOutgoing> waiting;  // for credits

    std::bitset<slots> arrived;
    std::uint64_t read = 0;
    int owed = 0;  // slots read of which it has not been told

    std::map<RailKey, std::deque<std::unique_ptr<RailSend>>> sends;  // long, not yet offered room
    std::map<RailKey, std::deque<std::unique_ptr<RailReceive>>> receives;  // short
    std::map<RailKey, std::deque<RailEarly>> messages, clear_to_sends;
    std::vector<std::unique_ptr<RailReceive>> cleared;  // by number; null: free
    std::vector<int> free_clear_to_sends;
    std::deque<std::unique_ptr<RailReceive>> not_cleared;  // no number was free
    int connectivity_checks = 0;
};

}  // namespace eco
