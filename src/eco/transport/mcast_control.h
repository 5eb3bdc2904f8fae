// SPDX-License-Identifier: BSD-3-Clause
// What receivers and senders of multicasts tell each other by ordinary messages: statuses of a
// receiver, and the sender's answers. Written and read here only, so that both fit.
//
// A status says how many datagrams have come in this call, which messages are whole, and, if
// anything is asked for, which datagrams are missing. Each status that asks gets one answer: of
// what was asked for, the datagrams that had left before.
#pragma once

#include <cstddef>
#include <cstdint>
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
    std::vector<std::uint32_t> whole;  // messages, each said once
    std::vector<McastRange> missing;
    std::uint32_t heard = 0;  // of those received, by multicast
    bool operator==(const McastStatus&) const = default;
};

// No status is longer: what does not fit is said in the next.
inline constexpr std::size_t most_whole = 512, most_missing = 256;
inline constexpr Bytes longest_status = 20 + 4 * most_whole + 12 * most_missing;

std::vector<std::byte> written(const McastStatus& status);
McastStatus read_status(std::span<const std::byte> text);

struct McastAnswer {
    // Nothing of what was multicast arrives: from the next call on messages come one by one.
    bool gives_up = false;
    struct Piece {
        std::uint32_t message = 0, index = 0;
        std::span<const std::byte> data;
    };
    std::vector<Piece> pieces;
};

inline constexpr std::size_t most_pieces = 64;
inline Bytes longest_answer(Bytes payload) {
    return 8 + static_cast<Bytes>(most_pieces) * (12 + payload);
}

std::vector<std::byte> written(const McastAnswer& answer);
// Its data lies in the text.
McastAnswer read_answer(std::span<const std::byte> text);

}  // namespace eco
