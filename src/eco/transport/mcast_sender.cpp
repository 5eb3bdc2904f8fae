// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_sender.h"

#include <algorithm>
#include <limits>

#include "eco/base/check.h"

namespace eco {

namespace {

// Datagrams that a receiver which is not in the call keeps in its socket: half of what Linux has
// room for if nobody has changed its limits.
constexpr std::int64_t window = 96;

// What left later may be under way still. So is what a socket or a switch has in its queue.
constexpr Seconds under_way = 4e-3;

}  // namespace

void McastSender::add(int id, std::uint32_t message, const void* data, Bytes bytes,
                      std::span<const Rank> to, double rate) {
    ECO_CHECK(!to.empty() && bytes > 0 && rate > 0);
    Message& added = messages_[message];
    added.id = id;
    added.data = static_cast<const std::byte*>(data);
    added.bytes = bytes;
    added.datagrams = channel_.datagrams_of(bytes);
    added.left.assign(added.datagrams, 0);
    added.rate = rate;
    added.to.assign(to.begin(), to.end());
    added.missing.insert(to.begin(), to.end());
    for (const Rank rank : to) ++peers_[rank].awaited;
    queue_.push_back(message);
}

// Datagrams that may leave before the slowest of its receivers has said more.
std::int64_t McastSender::room(const Message& message) const {
    std::int64_t room = window;
    for (const Rank rank : message.missing) {
        const Peer& each = peers_.at(rank);
        room = std::min(room, window - (each.addressed - each.received));
    }
    return room;
}

std::span<const std::byte> McastSender::piece(const Message& message, std::uint32_t index) const {
    const Bytes first = index * channel_.payload();
    const Bytes length = std::min(channel_.payload(), message.bytes - first);
    return {message.data + first, static_cast<std::size_t>(length)};
}

bool McastSender::send(Seconds& wait) {
    wait = std::numeric_limits<double>::infinity();
    if (queue_.empty()) return false;
    Message& message = messages_.at(queue_.front());
    const std::int64_t left = message.datagrams - message.next;
    const std::int64_t count = std::min({left, room(message), std::int64_t{32}});
    if (count <= 0) return false;
    std::vector<Datagram> datagrams;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto index = message.next + static_cast<std::uint32_t>(i);
        const auto data = piece(message, index);
        Datagram& datagram = datagrams.emplace_back();
        datagram.header.context = call_.context;
        datagram.header.call = call_.number;
        datagram.header.sender = static_cast<std::uint32_t>(me_);
        datagram.header.message = queue_.front();
        datagram.header.index = index;
        datagram.data = data.data();
        datagram.bytes = static_cast<Bytes>(data.size());
    }
    const std::size_t sent = channel_.send(datagrams, message.rate, wait);
    const Seconds now = mcast_now();
    for (std::size_t i = 0; i < sent; ++i) message.left[message.next++] = now;
    for (const Rank rank : message.to) peers_[rank].addressed += static_cast<std::int64_t>(sent);
    if (message.next == message.datagrams) queue_.pop_front();
    return sent > 0;
}

bool McastSender::take(Rank from, const McastStatus& status, McastAnswer& answer) {
    Peer& peer = peers_[from];
    peer.received = std::max<std::int64_t>(peer.received, status.received);
    peer.heard = std::max<std::int64_t>(peer.heard, status.heard);
    for (const std::uint32_t number : status.whole) {
        const auto found = messages_.find(number);
        ECO_CHECK(found != messages_.end() && found->second.missing.erase(from) == 1);
        --peer.awaited;
        if (!found->second.missing.empty()) continue;
        ended_.push_back(found->second.id);
        messages_.erase(found);
    }
    if (!status.asks) return false;
    const Seconds before = mcast_now() - under_way;
    for (const McastRange& range : status.missing) {
        const auto found = messages_.find(range.message);
        if (found == messages_.end()) continue;  // it has not begun here
        const Message& message = found->second;
        for (std::uint32_t i = range.first; i < std::min(range.end, message.next); ++i)
            if (message.left[i] < before && answer.pieces.size() < most_pieces)
                answer.pieces.push_back({range.message, i, piece(message, i)});
    }
    lost_any_ = lost_any_ || !answer.pieces.empty();
    channel_.note_sent_again(static_cast<std::int64_t>(answer.pieces.size()));
    return true;
}

int McastSender::awaited_from(Rank rank) const { return peer(rank).awaited; }

}  // namespace eco
