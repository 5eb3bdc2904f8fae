// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_sender.h"

#include <algorithm>
#include <limits>

#include "eco/base/check.h"

namespace eco {

namespace {

constexpr std::size_t most_in_a_call = 32;

// What left later may be under way still, as far as a receiver can tell that was quiet for a while.
// So is what a socket or a switch has in its queue. Who asks by a datagram has waited itself.
constexpr Seconds under_way = 4e-3, under_way_to_who_waited = 1.5e-3;

// Where losses are likely: no receiver has said more for so long, in time and in datagrams, so what
// left last may be lost. Twice as long each time.
constexpr Seconds remind_first = 4e-3, remind_longest = 0.2;
constexpr double remind_datagrams = 6, remind_pauses = 2;

// Who is in its call says something within so long after the last datagram, or after so many
// datagrams' time. To find out costs a broadcast's sender so long once.
constexpr Seconds late_after = 20e-3;
constexpr double late_datagrams = 8, late_pauses = 4;

}  // namespace

void McastSender::add(int id, std::uint32_t message, const void* data, Bytes bytes,
                      std::span<const Rank> to, double rate) {
    ECO_CHECK(!to.empty() && bytes >= 0 && rate > 0);
    Message& added = messages_[message];
    added.id = id;
    added.data = static_cast<const std::byte*>(data);
    added.bytes = bytes;
    added.datagrams = channel_.datagrams_of(bytes);
    added.left.assign(added.datagrams, 0);
    added.rate = rate;
    added.to.assign(to.begin(), to.end());
    added.missing.insert(to.begin(), to.end());
    queue_.push_back(message);
    frame_ = static_cast<double>(channel_.payload() + channel_.frame()) / rate;
    left_last_ = std::max(left_last_, mcast_now());
}

std::optional<std::int64_t> McastSender::behind(Rank rank) const {
    const bool misses = std::any_of(messages_.begin(), messages_.end(), [&](const auto& entry) {
        return entry.second.missing.contains(rank);
    });
    if (!misses) return std::nullopt;
    const auto peer = peers_.find(rank);
    return peer == peers_.end() ? 0 : peer->second.addressed - peer->second.received;
}

bool McastSender::is_late(Rank rank) const {
    const auto peer = peers_.find(rank);
    if (peer != peers_.end() && peer->second.spoke > 0) return peer->second.is_late;
    return (peer != peers_.end() && peer->second.is_late) || behind_(rank).has_value();
}

// Once no more may leave, who is in its call has taken it all, and has said so.
void McastSender::find_late(Seconds now) {
    const Seconds patience =
        std::max({late_after, late_datagrams * frame_, late_pauses * channel_.pause()});
    if (now < left_last_ + patience) return;
    for (auto& [rank, peer] : peers_)
        if (now >= peer.spoke + patience) peer.is_late = peer.was_late = true;
}

// Datagrams that may leave before the slowest of its receivers has said more. Who is late stops
// only those who are late too.
std::int64_t McastSender::room(const Message& message) const {
    std::int64_t of_all = channel_.window(), of_others = of_all;
    bool has_others = false;
    for (const Rank rank : message.missing) {
        if (message.apart.contains(rank)) continue;
        std::int64_t outstanding = behind_(rank).value_or(0);
        const auto peer = peers_.find(rank);
        if (peer != peers_.end()) outstanding += peer->second.addressed - peer->second.received;
        const std::int64_t left = channel_.window() - outstanding;
        of_all = std::min(of_all, left);
        if (is_late(rank)) continue;
        has_others = true;
        of_others = std::min(of_others, left);
    }
    return has_others ? of_others : of_all;
}

bool McastSender::waits_for_late_ones() {
    if (!again_.empty() || (!queue_.empty() && room(messages_.at(queue_.front())) > 0))
        return false;
    find_late(mcast_now());
    return std::all_of(messages_.begin(), messages_.end(), [this](const auto& entry) {
        const auto& missing = entry.second.missing;
        return std::all_of(missing.begin(), missing.end(),
                           [this](Rank rank) { return is_late(rank); });
    });
}

Bytes McastSender::bytes_to_keep() const {
    Bytes bytes = 0;
    for (const auto& [number, message] : messages_)
        if (message.data != message.kept.data()) bytes += message.bytes;
    return bytes;
}

void McastSender::lose_kept() {
    for (auto& [number, message] : messages_)
        static_cast<void>(new std::vector<std::byte>(std::move(message.kept)));
}

void McastSender::keep() {
    for (auto& [number, message] : messages_) {
        if (message.data == message.kept.data()) continue;
        message.kept.assign(message.data, message.data + message.bytes);
        message.data = message.kept.data();
    }
}

Datagram McastSender::datagram(std::uint32_t number, const Message& message, std::uint32_t index,
                               McastKind kind) const {
    const Bytes first = index * channel_.payload();
    Datagram datagram{};
    datagram.header.context = call_.context;
    datagram.header.call = call_.number;
    datagram.header.sender = static_cast<std::uint32_t>(me_);
    datagram.header.message = number;
    datagram.header.index = index;
    datagram.header.kind = kind;
    datagram.header.has_unreachable = has_unreachable_ ? 1 : 0;
    datagram.data = message.data + first;
    datagram.bytes = std::min(channel_.payload(), message.bytes - first);
    return datagram;
}

bool McastSender::send(Seconds& wait) {
    wait = std::numeric_limits<double>::infinity();
    if (!again_.empty()) return send_again(wait);
    if (!queue_.empty()) return send_next(wait);
    return expects_losses_ && !messages_.empty() && remind(wait);
}

bool McastSender::send_next(Seconds& wait) {
    Message& message = messages_.at(queue_.front());
    if (message.apart.size() == message.missing.size()) {
        message.next = message.datagrams;
        queue_.pop_front();
        return true;
    }
    const std::int64_t left = message.datagrams - message.next;
    const std::int64_t count = std::min({left, room(message), std::int64_t{most_in_a_call}});
    if (count <= 0) {
        find_late(mcast_now());
        return false;
    }
    std::vector<Datagram> datagrams;
    for (std::int64_t i = 0; i < count; ++i)
        datagrams.push_back(datagram(queue_.front(), message,
                                     message.next + static_cast<std::uint32_t>(i),
                                     McastKind::data));
    const std::size_t sent = channel_.send(datagrams, message.rate, wait);
    const Seconds now = mcast_now();
    for (std::size_t i = 0; i < sent; ++i) message.left[message.next++] = now;
    for (const Rank rank : message.to) {
        Peer& peer = peers_[rank];
        peer.was_late = peer.was_late || is_late(rank);
        peer.addressed += static_cast<std::int64_t>(sent);
    }
    if (message.next == message.datagrams) queue_.pop_front();
    const double frame = static_cast<double>(channel_.payload() + channel_.frame());
    remind_after_ = std::max(
        {remind_first, remind_datagrams * frame / message.rate, remind_pauses * channel_.pause()});
    remind_at_ = now + remind_after_;
    if (sent > 0) left_last_ = now;
    return sent > 0;
}

// Those that go to the same place together.
bool McastSender::send_again(Seconds& wait) {
    const auto target = [](const std::set<Rank>& to) { return to.size() == 1 ? *to.begin() : -1; };
    const Rank to = target(again_.begin()->second);
    std::vector<Datagram> datagrams;
    double rate = std::numeric_limits<double>::infinity();
    auto end = again_.begin();
    for (; end != again_.end() && datagrams.size() < most_in_a_call; ++end) {
        if (target(end->second) != to) break;
        const auto [number, index] = end->first;
        const Message& message = messages_.at(number);
        rate = std::min(rate, message.rate);
        datagrams.push_back(datagram(number, message, index, McastKind::again));
    }
    const std::size_t sent = channel_.send(
        datagrams, rate, wait, to < 0 ? all_of_the_job : channel_.address_of(call_.context, to));
    const Seconds now = mcast_now();
    for (std::size_t i = 0; i < sent; ++i) {
        const auto [number, index] = again_.begin()->first;
        if (to < 0) messages_.at(number).left[index] = now;
        again_.erase(again_.begin());
    }
    channel_.note_sent_again(static_cast<std::int64_t>(sent));
    remind_at_ = std::max(remind_at_, now + remind_after_);
    return sent > 0;
}

// The last datagram of each message, to those that have not got it: it shows what is missing.
bool McastSender::remind(Seconds& wait) {
    const Seconds now = mcast_now();
    if (now < remind_at_) {
        wait = remind_at_ - now;
        return false;
    }
    remind_after_ = std::min(2 * remind_after_, remind_longest);
    for (const auto& [number, message] : messages_)
        for (const Rank rank : message.missing)
            if (!message.apart.contains(rank)) again_[{number, message.datagrams - 1}].insert(rank);
    remind_at_ = now + remind_after_;
    return !again_.empty() && send_again(wait);
}

void McastSender::note(Rank from, const McastStatus& status) {
    Peer& peer = peers_[from];
    peer.spoke = mcast_now();
    peer.is_late = false;
    channel_.note_pause(1e-6 * status.pause);
    if (status.received > peer.received || !status.whole.empty())
        remind_at_ = std::max(remind_at_, mcast_now() + remind_after_);
    peer.received = std::max<std::int64_t>(peer.received, status.received);
    peer.by_multicast = std::max<std::int64_t>(peer.by_multicast, status.by_multicast);
    for (const std::uint32_t number : status.whole) {
        const auto found = messages_.find(number);
        if (found == messages_.end()) continue;
        Message& message = found->second;
        message.apart.erase(from);
        message.missing.erase(from);
        if (!message.missing.empty()) continue;
        ended_.push_back(message.id);
        again_.erase(again_.lower_bound({number, 0}),
                     again_.upper_bound({number, message.datagrams}));
        std::erase(queue_, number);
        messages_.erase(found);
    }
}

std::vector<McastSender::Place> McastSender::asked_for(Rank from, const McastStatus& status,
                                                       Seconds waits) {
    std::vector<Place> places;
    const Seconds before = mcast_now() - std::max(waits, channel_.pause());
    for (const McastRange& range : status.missing) {
        const auto found = messages_.find(range.message);
        // It has not begun here, or is over.
        if (found == messages_.end() || !found->second.missing.contains(from)) continue;
        const Message& message = found->second;
        for (std::uint32_t i = range.first; i < std::min(range.end, message.next); ++i)
            if (message.left[i] < before) places.emplace_back(range.message, i);
    }
    has_lost_ = has_lost_ || !places.empty();
    return places;
}

// What did not fit into the socket of one that was late says nothing about the pace.
void McastSender::note_lost(Rank rank, std::int64_t datagrams) {
    Peer& peer = peers_[rank];
    if (!peer.was_late) peer.lost += datagrams;
}

bool McastSender::take(Rank from, const McastStatus& status, McastAnswer& answer) {
    note(from, status);
    if (!status.asks) return false;
    // It may have been under way for longer than what it asks for. What left before the answer to
    // the one before it, it has waited for.
    const Seconds now = mcast_now();
    const Seconds answered = std::exchange(peers_[from].answered, now);
    const auto places = asked_for(from, status, std::max(under_way, now - answered));
    for (const auto& [number, index] : places) {
        if (answer.pieces.size() == most_pieces) break;
        const Datagram piece = datagram(number, messages_.at(number), index, McastKind::again);
        answer.pieces.push_back(
            {number, index, {piece.data, static_cast<std::size_t>(piece.bytes)}});
    }
    note_lost(from, static_cast<std::int64_t>(answer.pieces.size()));
    channel_.note_sent_again(static_cast<std::int64_t>(answer.pieces.size()));
    return true;
}

void McastSender::take_status(Rank from, const McastStatus& status) {
    note(from, status);
    if (!status.asks) return;
    expects_losses_ = true;
    for (const Place& place : asked_for(from, status, under_way_to_who_waited))
        if (again_[place].insert(from).second) note_lost(from, 1);
}

std::optional<std::span<const std::byte>> McastSender::take_apart(std::uint32_t number, Rank rank,
                                                                  std::uint32_t first) {
    const auto found = messages_.find(number);
    if (found == messages_.end() || first >= found->second.datagrams) return std::nullopt;
    Message& message = found->second;
    if (!message.missing.contains(rank) || !message.apart.insert(rank).second) return std::nullopt;
    const Bytes begin = first * channel_.payload();
    return std::span<const std::byte>(message.data + begin,
                                      static_cast<std::size_t>(message.bytes - begin));
}

}  // namespace eco
