// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_control.h"

#include <algorithm>
#include <cstring>

#include "eco/base/check.h"

namespace eco {

namespace {

class Writer {
public:
    void add(std::size_t value) {
        const auto number = static_cast<std::uint32_t>(value);
        add(std::as_bytes(std::span(&number, 1)));
    }
    void add(std::span<const std::byte> bytes) {
        text_.insert(text_.end(), bytes.begin(), bytes.end());
    }
    std::vector<std::byte> text() { return std::move(text_); }

private:
    std::vector<std::byte> text_;
};

// Of what a peer of the same job has written.
class Reader {
public:
    explicit Reader(std::span<const std::byte> text) : text_(text) {}
    std::uint32_t number() {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
        return value;
    }
    std::span<const std::byte> bytes(std::size_t count) {
        ECO_CHECK(count <= text_.size());
        const auto found = text_.first(count);
        text_ = text_.subspan(count);
        return found;
    }

private:
    std::span<const std::byte> text_;
};

}  // namespace

std::vector<std::byte> written(const McastStatus& status) {
    Writer text;
    text.add(status.call);
    text.add(status.received);
    text.add(status.by_multicast);
    text.add(status.pause);
    text.add((status.asks ? 1U : 0U) | (status.was_forgotten ? 2U : 0U));
    text.add(status.whole.size());
    text.add(status.missing.size());
    for (const std::uint32_t message : status.whole) text.add(message);
    for (const McastRange& range : status.missing) {
        text.add(range.message);
        text.add(range.first);
        text.add(range.end);
    }
    return text.text();
}

McastStatus read_status(std::span<const std::byte> text) {
    Reader reader(text);
    McastStatus status;
    status.call = reader.number();
    status.received = reader.number();
    status.by_multicast = reader.number();
    status.pause = reader.number();
    const std::uint32_t flags = reader.number();
    status.asks = (flags & 1) != 0;
    status.was_forgotten = (flags & 2) != 0;
    status.whole.resize(reader.number());
    status.missing.resize(reader.number());
    for (std::uint32_t& message : status.whole) message = reader.number();
    for (McastRange& range : status.missing) {
        range.message = reader.number();
        range.first = reader.number();
        range.end = reader.number();
    }
    return status;
}

std::optional<McastStatus> parse_status_datagram(std::span<const std::byte> text) {
    constexpr std::size_t head = status_head;
    if (text.size() < head) return std::nullopt;
    std::uint32_t counts[2];
    std::memcpy(counts, text.data() + head - sizeof counts, sizeof counts);
    if (counts[0] > most_whole || counts[1] > most_missing ||
        text.size() != head + 4 * std::size_t{counts[0]} + 12 * std::size_t{counts[1]})
        return std::nullopt;
    return read_status(text);
}

void cut_to(McastStatus& status, Bytes longest) {
    const auto room = static_cast<std::size_t>(std::max<Bytes>(longest - status_head, 0));
    status.whole.resize(std::min({status.whole.size(), most_whole, room / 2 / 4}));
    const std::size_t left = room - 4 * status.whole.size();
    status.missing.resize(std::min({status.missing.size(), most_missing, left / 12}));
}

std::vector<std::byte> written(const McastAnswer& answer) {
    Writer text;
    text.add(answer.call);
    text.add(answer.has_unreachable ? 1U : 0U);
    text.add(answer.rest.size());
    for (const McastAnswer::Rest& rest : answer.rest) {
        text.add(rest.message);
        text.add(rest.first);
    }
    text.add(answer.gives_up_from);
    text.add(answer.pieces.size());
    for (const McastAnswer::Piece& piece : answer.pieces) {
        text.add(piece.message);
        text.add(piece.index);
        text.add(piece.data.size());
        text.add(piece.data);
    }
    return text.text();
}

McastAnswer read_answer(std::span<const std::byte> text) {
    Reader reader(text);
    McastAnswer answer;
    answer.call = reader.number();
    answer.has_unreachable = reader.number() != 0;
    answer.rest.resize(reader.number());
    for (McastAnswer::Rest& rest : answer.rest) {
        rest.message = reader.number();
        rest.first = reader.number();
    }
    answer.gives_up_from = reader.number();
    answer.pieces.resize(reader.number());
    for (McastAnswer::Piece& piece : answer.pieces) {
        piece.message = reader.number();
        piece.index = reader.number();
        piece.data = reader.bytes(reader.number());
    }
    return answer;
}

}  // namespace eco
