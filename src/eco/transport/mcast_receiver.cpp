// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_receiver.h"

#include <algorithm>
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

// A sender that may not run further ahead hears of so many datagrams at once.
constexpr std::uint32_t report_every = 40;

constexpr Bytes most_kept_early = 1 << 20;

}  // namespace

void McastReceiver::add(int id, Rank from, std::uint32_t message, void* data, Bytes bytes,
                        double rate) {
    const std::lock_guard lock(mutex_);
    Source& source = sources_[from];
    if (source.open.empty()) source.heard = std::max(source.heard, mcast_now());
    source.frame = static_cast<double>(channel_.payload() + mcast_frame) / rate;
    Message& added = source.open[message];
    added.id = id;
    added.data = static_cast<std::byte*>(data);
    added.bytes = bytes;
    added.have.assign(channel_.datagrams_of(bytes), false);
    added.missing = channel_.datagrams_of(bytes);
    ++open_;
    for (const auto& early : source.early)
        if (early.message == message && put(source, message, early.index, early.data))
            ++source.heard_of;
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

// Whether it was new.
bool McastReceiver::put(Source& source, std::uint32_t number, std::uint32_t index,
                        std::span<const std::byte> data) {
    const auto found = source.open.find(number);
    if (found == source.open.end()) return false;
    Message& message = found->second;
    const Bytes first = index * channel_.payload();
    // Also what a stranger who knows the key may have made up.
    if (!fits(source, number, index, data.size()) || message.have[index]) return false;
    std::memcpy(message.data + first, data.data(), data.size());
    message.have[index] = true;
    message.next = std::max(message.next, index + 1);
    ++source.received;
    if (--message.missing > 0) return true;
    ended_.push_back(message.id);
    source.done.insert(number);
    source.whole.push_back(number);
    source.open.erase(found);
    --open_;
    return true;
}

void McastReceiver::take(const McastHeader& header, std::span<const std::byte> data) {
    const std::lock_guard lock(mutex_);
    const Rank from = static_cast<Rank>(header.sender);
    if (from == me_) return;
    Source& source = sources_[from];
    source.heard = mcast_now();
    source.has_spoken = true;
    source.last_message = std::max(source.last_message, header.message);
    const bool is_early =
        !source.open.contains(header.message) && !source.done.contains(header.message);
    if (!is_early) {
        if (put(source, header.message, header.index, data)) ++source.heard_of;
    } else if (early_bytes_ + static_cast<Bytes>(data.size()) <= most_kept_early) {
        early_bytes_ += static_cast<Bytes>(data.size());
        source.early.push_back({header.message, header.index, {data.begin(), data.end()}});
    }
    find_gap(source);
}

void McastReceiver::take(Rank from, const McastAnswer& answer) {
    const std::lock_guard lock(mutex_);
    Source& source = sources_[from];
    source.asked = false;
    source.heard = mcast_now();
    for (const McastAnswer::Piece& piece : answer.pieces) {
        if (!fits(source, piece.message, piece.index, piece.data.size()))
            throw Error(Code::usage, "rank " + std::to_string(from) +
                                         " sends a message of another length than this rank "
                                         "receives");
        if (put(source, piece.message, piece.index, piece.data)) ++repaired_;
    }
    // It has begun, and the rest will not come by itself.
    if (!answer.pieces.empty()) source.has_spoken = true;
    source.gap = 0;
    find_gap(source);
}

// A datagram that should have come before the last one that has.
void McastReceiver::find_gap(Source& source) const {
    const bool has_gap =
        std::any_of(source.open.begin(), source.open.end(), [&](const auto& entry) {
            const auto& [number, message] = entry;
            const auto came = static_cast<std::uint32_t>(message.have.size()) - message.missing;
            return came < message.next || (source.has_spoken && number < source.last_message);
        });
    if (!has_gap)
        source.gap = 0;
    else if (source.gap == 0)
        source.gap = mcast_now();
}

std::vector<McastRange> McastReceiver::missing_of(const Source& source, bool all) const {
    std::vector<McastRange> ranges;
    for (const auto& [number, message] : source.open) {
        const bool is_behind = all || number < source.last_message;
        const auto end = is_behind ? static_cast<std::uint32_t>(message.have.size()) : message.next;
        for (std::uint32_t i = 0; i < end && ranges.size() < most_missing; ++i) {
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

Seconds McastReceiver::patience(const Source& source) {
    return std::max(source.has_spoken ? quiet : not_begun, quiet_datagrams * source.frame);
}

std::vector<McastReceiver::Due> McastReceiver::due() {
    const std::lock_guard lock(mutex_);
    std::vector<Due> list;
    const Seconds now = mcast_now();
    for (auto& [rank, source] : sources_) {
        const bool is_quiet = !source.open.empty() && now >= source.heard + patience(source);
        const bool has_gap = source.gap > 0 && now >= source.gap + reordering;
        const bool asks = !source.asked && (is_quiet || has_gap);
        // While more is to come from it anyway, what is whole can wait.
        const bool tells = source.open.empty() ? !source.whole.empty()
                                               : source.received >= source.said + report_every;
        if (!asks && !tells) continue;
        Due& due = list.emplace_back(Due{rank, {}});
        due.status.received = source.said = source.received;
        due.status.heard = source.heard_of;
        const std::size_t count = std::min(source.whole.size(), most_whole);
        const auto end = source.whole.begin() + static_cast<std::ptrdiff_t>(count);
        due.status.whole.assign(source.whole.begin(), end);
        source.whole.erase(source.whole.begin(), end);
        if (!asks) continue;
        due.status.asks = source.asked = true;
        due.status.missing = missing_of(source, is_quiet);
    }
    return list;
}

Seconds McastReceiver::until_due() const {
    const std::lock_guard lock(mutex_);
    Seconds first = std::numeric_limits<double>::infinity();
    for (const auto& [rank, source] : sources_) {
        if (source.open.empty() || source.asked) continue;
        first = std::min(first, source.heard + patience(source));
        if (source.gap > 0) first = std::min(first, source.gap + reordering);
    }
    return std::max(0.0, first - mcast_now());
}

bool McastReceiver::owes() const {
    const std::lock_guard lock(mutex_);
    return std::any_of(sources_.begin(), sources_.end(), [](const auto& entry) {
        return !entry.second.whole.empty() || entry.second.asked;
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
