// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_receiver.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "eco/base/error.h"

namespace eco {

namespace {

// Datagrams may overtake each other by so much before one counts as lost.
constexpr Seconds reordering = 2e-3;

// A sender that has begun and then is quiet for so long has stopped, or what it sent last is lost.
constexpr Seconds quiet = 20e-3;
constexpr double quiet_datagrams = 6;
// One that has not begun is probably late: asking it costs little, but gains nothing.
constexpr Seconds not_begun = 100e-3;

// Others may fill the links: so many times the longest pause that was no loss.
constexpr double pauses = 2;

// The same where losses are likely.
constexpr Seconds quiet_if_careful = 4e-3;
constexpr double quiet_datagrams_if_careful = 5;

// Datagrams that ask come to nothing so often before a message does. From one to the next it takes
// so long, and what was asked for; twice as long each time.
constexpr int most_asks = 3;
constexpr Seconds between_asks = 3e-3;
constexpr double datagrams_between_asks = 2;

// A sender that may not run further ahead is told of so many datagrams at once, of its window.
constexpr double report_every = 0.42;

constexpr Bytes most_kept_early = 1 << 20;

}  // namespace

void McastReceiver::add(int id, Rank from, std::uint32_t message, void* data, Bytes bytes,
                        double rate) {
    const std::lock_guard lock(mutex_);
    Source& source = sources_[from];
    if (source.open.empty()) source.last_arrival = std::max(source.last_arrival, mcast_now());
    source.frame = static_cast<double>(channel_.payload() + channel_.frame()) / rate;
    Message& added = source.open[message];
    added.id = id;
    added.data = static_cast<std::byte*>(data);
    added.bytes = bytes;
    added.have.assign(channel_.datagrams_of(bytes), false);
    added.missing = channel_.datagrams_of(bytes);
    ++open_;
    for (const auto& early : source.early)
        if (early.message == message) put(source, message, early.index, early.data, early.kind);
    std::erase_if(source.early, [&](const Source::Early& early) {
        if (early.message == message) early_bytes_ -= static_cast<Bytes>(early.data.size());
        return early.message == message;
    });
    find_gap(source);
}

// Also what is not awaited any more.
bool McastReceiver::fits(const Source& source, std::uint32_t number, std::uint32_t index,
                         std::size_t bytes) const {
    const auto found = source.open.find(number);
    if (found == source.open.end()) return true;
    const Message& message = found->second;
    const Bytes left = message.bytes - index * channel_.payload();
    return index < message.have.size() &&
           static_cast<Bytes>(bytes) == std::min(channel_.payload(), left);
}

// What was sent again may have overtaken what left before it: it shows no gap.
void McastReceiver::put(Source& source, std::uint32_t number, std::uint32_t index,
                        std::span<const std::byte> data, McastKind kind) {
    const auto found = source.open.find(number);
    if (found == source.open.end()) return;
    Message& message = found->second;
    const Bytes first = index * channel_.payload();
    // Also what a stranger who knows the key may have made up.
    if (!fits(source, number, index, data.size()) || message.have[index] || index >= message.apart)
        return;
    if (!data.empty()) std::memcpy(message.data + first, data.data(), data.size());
    message.have[index] = true;
    if (kind != McastKind::again) message.next = std::max(message.next, index + 1);
    if (kind == McastKind::data) ++source.by_multicast;
    has_lost_ = has_lost_ || kind != McastKind::data;
    ++source.received;
    source.asks = 0;
    if (--message.missing == 0) end(source, number);
}

void McastReceiver::end(Source& source, std::uint32_t number) {
    const auto found = source.open.find(number);
    ended_.push_back(found->second.id);
    source.done.insert(number);
    source.whole.push_back(number);
    source.open.erase(found);
    source.shows = source.open.empty();
    --open_;
}

// Between one datagram of a message and the next, as they left: for so long at least, as this
// process, which may have done something else since, had seen.
void McastReceiver::note_pause(Source& source, const McastHeader& header) {
    const Seconds before = std::exchange(source.last_new_arrival, mcast_now());
    const auto found = source.open.find(header.message);
    if (header.kind == McastKind::data && header.index > 0 && found != source.open.end() &&
        found->second.next == header.index)
        channel_.note_pause(channel_.looked() - before);
}

void McastReceiver::take(const McastHeader& header, std::span<const std::byte> data) {
    const std::lock_guard lock(mutex_);
    const Rank from = static_cast<Rank>(header.sender);
    if (from == me_) return;
    Source& source = sources_[from];
    source.last_arrival = last_arrival_from_any_ = mcast_now();
    source.has_sent = true;
    if (header.kind != McastKind::again) {
        note_pause(source, header);
        source.last_message = std::max(source.last_message, header.message);
    }
    const bool is_early =
        !source.open.contains(header.message) && !source.done.contains(header.message);
    if (!is_early) {
        put(source, header.message, header.index, data, header.kind);
    } else if (early_bytes_ + static_cast<Bytes>(data.size()) <= most_kept_early) {
        early_bytes_ += static_cast<Bytes>(data.size());
        source.early.push_back(
            {header.message, header.index, {data.begin(), data.end()}, header.kind});
    }
    find_gap(source);
}

void McastReceiver::take(Rank from, const McastAnswer& answer) {
    const std::lock_guard lock(mutex_);
    Source& source = sources_[from];
    source.asked = source.status_request_before_data = false;
    source.asks = 0;
    source.last_arrival = mcast_now();
    for (const McastAnswer::Piece& piece : answer.pieces) {
        if (!fits(source, piece.message, piece.index, piece.data.size()))
            throw Error(Code::usage, "rank " + std::to_string(from) +
                                         " sends a message of another length than this rank "
                                         "receives");
        put(source, piece.message, piece.index, piece.data, McastKind::again);
    }
    // It has begun, and the rest will not come by itself.
    if (!answer.pieces.empty()) source.has_sent = true;
    source.gap = 0;
    find_gap(source);
}

std::optional<std::span<std::byte>> McastReceiver::take_apart(Rank from, std::uint32_t number,
                                                              std::uint32_t first) {
    const std::lock_guard lock(mutex_);
    auto& open = sources_[from].open;
    const auto found = open.find(number);
    if (found == open.end()) return std::nullopt;
    Message& message = found->second;
    message.apart = first;
    const Bytes begin = first * channel_.payload();
    return std::span<std::byte>(message.data + begin,
                                static_cast<std::size_t>(message.bytes - begin));
}

void McastReceiver::apart_came(Rank from, std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    Source& source = sources_[from];
    const auto found = source.open.find(number);
    if (found == source.open.end()) return;
    Message& message = found->second;
    for (std::uint32_t i = message.apart; i < message.have.size(); ++i)
        if (!message.have[i]) {
            message.have[i] = true;
            --message.missing;
            ++source.received;
        }
    message.apart = no_datagram;
    if (message.missing == 0) end(source, number);
    find_gap(source);
}

// A datagram that should have come before the last one that has.
void McastReceiver::find_gap(Source& source) const {
    const bool has_gap =
        std::any_of(source.open.begin(), source.open.end(), [&](const auto& entry) {
            const auto& [number, message] = entry;
            const auto came = static_cast<std::uint32_t>(message.have.size()) - message.missing;
            return came < message.next || (source.has_sent && number < source.last_message);
        });
    if (!has_gap)
        source.gap = 0;
    else if (source.gap == 0)
        source.gap = mcast_now();
}

std::vector<McastRange> McastReceiver::missing_of(const Source& source, bool all) const {
    std::vector<McastRange> ranges;
    for (const auto& [number, message] : source.open) {
        const bool is_past = all || number < source.last_message;
        const auto end = is_past ? static_cast<std::uint32_t>(message.have.size()) : message.next;
        for (std::uint32_t i = 0; i < std::min(end, message.apart) && ranges.size() < most_missing;
             ++i) {
            if (message.have[i]) continue;
            const bool follows =
                !ranges.empty() && ranges.back().message == number && ranges.back().end == i;
            if (follows)
                ++ranges.back().end;
            else
                ranges.push_back({number, i, i + 1});
        }
    }
    return ranges;
}

// While others send, one that has not begun may be waiting for its turn.
Seconds McastReceiver::patience_ends(const Source& source) const {
    const Seconds pause = pauses * channel_.pause();
    if (!source.has_sent)
        return std::max(source.last_arrival, last_arrival_from_any_) +
               std::max({not_begun, quiet_datagrams * source.frame, pause});
    if (expects_losses_)
        return source.last_arrival +
               std::max({quiet_if_careful, quiet_datagrams_if_careful * source.frame, pause});
    return source.last_arrival + std::max({quiet, quiet_datagrams * source.frame, pause});
}

// By whichever means; what it asks for already is not asked for again. Where both may give up, only
// messages are said, so that the sender does not leave before it has answered.
bool McastReceiver::may_ask(const Source& source, Seconds now) const {
    if (source.by_multicast == 0 || source.status_request_before_data) return !source.asked;
    return now >= source.next_ask && (source.asks < most_asks || !source.asked);
}

McastStatus McastReceiver::status_of(const Source& source) const {
    McastStatus status;
    status.received = source.received;
    status.by_multicast = source.by_multicast;
    status.pause = static_cast<std::uint32_t>(channel_.pause() * 1e6);
    return status;
}

std::vector<McastReceiver::Due> McastReceiver::due() {
    const std::lock_guard lock(mutex_);
    std::vector<Due> list;
    const Seconds now = mcast_now();
    const auto report = static_cast<std::uint32_t>(
        std::max(1.0, report_every * static_cast<double>(channel_.window())));
    for (auto& [rank, source] : sources_) {
        const bool is_quiet = !source.open.empty() && now >= patience_ends(source);
        const bool has_gap = source.gap > 0 && now >= source.gap + reordering;
        std::vector<McastRange> missing;
        if ((is_quiet || has_gap) && may_ask(source, now)) missing = missing_of(source, is_quiet);
        const bool asks = !missing.empty();
        const bool by_datagram = source.by_multicast > 0 && source.asks < most_asks;
        // While more is to come from it anyway, what is whole can wait.
        const bool tells =
            source.open.empty() ? !source.whole.empty() : source.received >= source.said + report;
        const bool shows = expects_losses_ && source.by_multicast > 0 &&
                           !source.status_request_before_data && (source.shows || tells);
        if (!asks && !tells && !shows) continue;
        Due& due = list.emplace_back(Due{rank, {}, {}});
        if (tells || (asks && !by_datagram)) {
            McastStatus& status = due.message.emplace(status_of(source));
            source.said = source.received;
            const std::size_t count = std::min(source.whole.size(), most_whole);
            const auto end = source.whole.begin() + static_cast<std::ptrdiff_t>(count);
            status.whole.assign(source.whole.begin(), end);
            source.whole.erase(source.whole.begin(), end);
        }
        if (shows || (asks && by_datagram)) {
            McastStatus& status = due.datagram.emplace(status_of(source));
            status.whole.assign(source.done.begin(), source.done.end());
            source.shows = false;
        }
        if (asks) ask(source, by_datagram ? *due.datagram : *due.message, by_datagram, missing);
    }
    return list;
}

void McastReceiver::ask(Source& source, McastStatus& status, bool by_datagram,
                        std::vector<McastRange>& missing) {
    if (source.by_multicast > 0) expects_losses_ = true;
    double pieces = 0;
    for (const McastRange& range : missing) pieces += range.end - range.first;
    status.asks = true;
    status.missing = std::move(missing);
    if (!by_datagram) {
        source.asked = true;
        source.status_request_before_data = source.by_multicast == 0;
        return;
    }
    const Seconds soonest =
        std::max(between_asks, (datagrams_between_asks + pieces) * source.frame);
    source.next_ask = mcast_now() + std::ldexp(soonest, source.asks++);
}

Seconds McastReceiver::until_due() const {
    const std::lock_guard lock(mutex_);
    Seconds first = std::numeric_limits<double>::infinity();
    for (const auto& [rank, source] : sources_) {
        if (source.open.empty()) continue;
        Seconds due = patience_ends(source);
        if (source.gap > 0) due = std::min(due, source.gap + reordering);
        due = std::max(due, source.next_ask);
        if (may_ask(source, due)) first = std::min(first, due);
    }
    return std::max(0.0, first - mcast_now());
}

bool McastReceiver::owes() const {
    const std::lock_guard lock(mutex_);
    return std::any_of(sources_.begin(), sources_.end(), [](const auto& entry) {
        return !entry.second.whole.empty() || entry.second.status_request_before_data;
    });
}

std::vector<int> McastReceiver::ended() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ended_, {});
}

bool McastReceiver::is_complete() const {
    const std::lock_guard lock(mutex_);
    return open_ == 0;
}

}  // namespace eco
