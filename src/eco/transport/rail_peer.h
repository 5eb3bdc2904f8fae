// SPDX-License-Identifier: BSD-3-Clause
// The state that RailMessages keeps for each peer and each message under way, and its wire format.
// For its own files only.
#pragma once

#include <bitset>

#include "eco/transport/in_turn.h"
#include "eco/transport/rail_messages.h"

namespace eco {

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

struct RailMessages::Send {
    Box* box;
    int id;
    const std::byte* data;
    Bytes bytes;
    Rank to;
    int most;
    std::unique_ptr<Registered> memory;
    int puts_left = 0;
};

struct RailMessages::Receive {
    Box* box;
    int id;
    std::byte* data;
    Bytes bytes;
    Rank from;
    Key key;
    int most;
    std::unique_ptr<Registered> memory;
    int puts_left = 0;
};

// What a slot begins with; the message or the stripes follow.
struct RailMessages::Header {
    std::uint64_t context;
    Bytes bytes;
    std::int32_t tag;
    std::int32_t clear_to_send;  // -1: the message follows
    std::int32_t stripes;        // else so many of them
    std::int32_t unused;
};

struct RailMessages::Stripe {
    Target where;
    Bytes bytes;
};

struct RailMessages::Outgoing {
    Header header;
    int ways;
    std::vector<Stripe> stripes;
    Send* send;  // null: an offer
};

// A slot's content that came before what it is for.
struct RailMessages::Early {
    std::vector<std::byte> message;
    Bytes room;  // of what is clear to send
    std::int32_t clear_to_send;
    std::vector<Stripe> stripes;
};

struct RailMessages::Peer {
    std::vector<Target> inbox;  // ours there, per way
    std::uint64_t filled = 0;   // slots so far
    int credits = slots;
    InTurn way;
    std::deque<Outgoing> waiting;  // for credits

    std::bitset<slots> arrived;
    std::uint64_t read = 0;
    int owed = 0;  // slots read of which it has not been told

    std::map<Key, std::deque<std::unique_ptr<Send>>> sends;        // long, not yet offered room
    std::map<Key, std::deque<std::unique_ptr<Receive>>> receives;  // short
    std::map<Key, std::deque<Early>> messages, clear_to_sends;
    std::vector<std::unique_ptr<Receive>> cleared;  // by number; null: free
    std::vector<int> free_clear_to_sends;
    std::deque<std::unique_ptr<Receive>> not_cleared;  // no number was free
    int connectivity_checks = 0;
};

}  // namespace eco
