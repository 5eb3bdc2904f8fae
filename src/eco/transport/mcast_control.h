// SPDX-License-Identifier: BSD-3-Clause
// The control messages of multicasts: statuses of receivers, by ordinary messages or by
// datagrams, and the sender's answers by messages. Written and read only here, so that both sides
// agree.
//
// A status says how many datagrams have arrived in this call, which messages are complete, and,
// if it is a request, which datagrams are missing. Each message that requests gets one answer: of
// the requested datagrams those that had left before. A datagram that requests gets datagrams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "eco/base/units.h"

namespace eco {

// Datagrams first to end of one message.
struct McastRange {
    std::uint32_t message = 0, first = 0, end = 0;
    bool operator==(const McastRange&) const = default;
};

struct McastStatus {
    std::uint32_t received = 0;  // datagrams in this call
    bool asks = false;
    std::vector<std::uint32_t> whole;  // messages, by ordinary messages each said once
    std::vector<McastRange> missing;
    std::uint32_t by_multicast = 0;  // of those received, by multicast
    std::uint32_t call = 0;
    // The longest pause between two datagrams of one message, neither of which was lost, as this
    // process has seen of it lately; in microseconds.
    std::uint32_t pause = 0;
    // Switches may have forgotten the receiver before this call: that nothing arrives says nothing
    // about the next ones.
    bool was_forgotten = false;
    bool operator==(const McastStatus&) const = default;
};

// No status is longer: what does not fit is said in the next.
inline constexpr std::size_t most_whole = 512, most_missing = 256;
inline constexpr Bytes status_head = 28;
inline constexpr Bytes longest_status = status_head + 4 * most_whole + 12 * most_missing;

std::vector<std::byte> written(const McastStatus& status);
McastStatus read_status(std::span<const std::byte> text);
// Of a datagram: nothing if it cannot be one. Cut to so many bytes before it is written.
std::optional<McastStatus> parse_status_datagram(std::span<const std::byte> text);
void cut_to(McastStatus& status, Bytes longest);

struct McastAnswer {
    // Nothing of what was multicast arrives: from this call on messages come one by one.
    static constexpr std::uint32_t never = 0xffffffff;
    std::uint32_t gives_up_from = never;
    struct Piece {
        std::uint32_t message = 0, index = 0;
        std::span<const std::byte> data;
    };
    std::vector<Piece> pieces;
    // What comes by an ordinary message of its own: all of these messages from datagram `first` on.
    struct Rest {
        std::uint32_t message = 0, first = 0;
        bool operator==(const Rest&) const = default;
    };
    std::vector<Rest> rest;
    std::uint32_t call = 0;
    bool has_unreachable = false;  // as in McastHeader
};

inline constexpr std::size_t most_pieces = 64, most_rest = 256;
inline Bytes longest_answer(Bytes payload) {
    return 20 + 8 * static_cast<Bytes>(most_rest) +
           static_cast<Bytes>(most_pieces) * (12 + payload);
}

std::vector<std::byte> written(const McastAnswer& answer);
// Its data lies in the text.
McastAnswer read_answer(std::span<const std::byte> text);

}  // namespace eco
