// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_channel.h"

#include <algorithm>
#include <limits>

namespace eco {

namespace {

// Of what comes before its call; the rest is lost, and repaired.
constexpr Bytes most_early = 1 << 20;
// For receivers that are late, of all calls together; beyond that senders wait for them.
constexpr Bytes most_kept = 16 << 20;
// A step of the library's progress stays short, however quickly datagrams come.
constexpr int most_rounds = 16;
// What may leave at once, in time on the wire and in datagrams: a process cannot wake up for each.
constexpr Seconds burst_time = 2e-4;
constexpr double burst_datagrams = 2;

constexpr double slower = 0.85, least_share = 0.2, faster = 1.01;
constexpr double pause_kept = 0.95;  // from one call to the next
constexpr Seconds longest_pause = 0.25;

}  // namespace

// Linux counts the memory that a frame lies in, a power of two, and what describes it.
std::int64_t McastChannel::window() const {
    constexpr std::int64_t room = 221184, described = 256, least = 4, most = 96;
    std::int64_t memory = 2048;
    while (memory < payload_ + frame()) memory *= 2;
    return std::clamp(room / (memory + described), least, most);
}

void McastChannel::know(std::uint64_t context) {
    const std::lock_guard lock(mutex_);
    last_call_.emplace(context, -1);
}

void McastChannel::forget(std::uint64_t context) {
    const std::lock_guard lock(mutex_);
    last_call_.erase(context);
    addresses_.erase(addresses_.lower_bound({context, 0}),
                     addresses_.upper_bound({context, std::numeric_limits<std::uint32_t>::max()}));
    drop_early({context, 0}, {context, std::numeric_limits<std::uint32_t>::max()});
}

void McastChannel::drop_early(const McastCall& from, const McastCall& to) {
    const auto first = early_.lower_bound(from), end = early_.upper_bound(to);
    for (auto gone = first; gone != end; ++gone)
        for (const Early& each : gone->second)
            early_bytes_ -= static_cast<Bytes>(each.data.size() + sizeof(Early));
    early_.erase(first, end);
}

bool McastChannel::attach(const McastCall& call, Listener& listener) {
    const std::lock_guard lock(mutex_);
    pause_ = pause_ * pause_kept;
    const Seconds now = mcast_now();
    const bool may_be_forgotten = now > last_attached_ + forgotten_after_;
    last_attached_ = now;
    if (now > said_ + forgotten_after_) {
        said_ = now;
        datagrams_->say_again();
    }
    listeners_[call] = &listener;
    last_call_[call.context] = call.number;
    const auto early = early_.find(call);
    if (early != early_.end())
        for (const Early& each : early->second) listener.take(each.header, each.data);
    // What is of earlier calls is of no use any more.
    drop_early({call.context, 0}, call);
    return may_be_forgotten;
}

void McastChannel::detach(const McastCall& call) {
    const std::lock_guard lock(mutex_);
    listeners_.erase(call);
}

std::size_t McastChannel::send(std::span<Datagram> datagrams, double rate, Seconds& wait,
                               const McastAddress& to) {
    const std::lock_guard lock(mutex_);
    const Seconds now = mcast_now();
    const double bytes_per_second = rate * share_;
    const double whole =
        static_cast<double>(payload_ + frame()) + static_cast<double>(sizeof(McastHeader));
    const Seconds ahead = std::max(burst_time, burst_datagrams * whole / bytes_per_second);
    free_ = std::max(free_, now);
    std::size_t count = 0;
    Seconds free = free_;
    while (count < datagrams.size() && free < now + ahead) {
        const auto bytes = datagrams[count].bytes + frame();
        free += (static_cast<double>(bytes) + sizeof(McastHeader)) / bytes_per_second;
        datagrams[count++].header.key = key_;
    }
    if (count == 0) {
        wait = free_ - now - ahead;
        return 0;
    }
    const std::size_t sent = datagrams_->send(datagrams.first(count), to);
    for (std::size_t i = 0; i < sent; ++i)
        free_ += (static_cast<double>(datagrams[i].bytes + frame()) + sizeof(McastHeader)) /
                 bytes_per_second;
    counts_.sent += static_cast<std::int64_t>(sent);
    wait = std::max(burst_time / 4, free_ - now - ahead);
    return sent;
}

void McastChannel::send_now(Datagram datagram, const McastAddress& to) {
    const std::lock_guard lock(mutex_);
    datagram.header.key = key_;
    datagrams_->send({&datagram, 1}, to);
}

McastAddress McastChannel::address_of(std::uint64_t context, Rank rank) const {
    const std::lock_guard lock(mutex_);
    const auto found = addresses_.find({context, static_cast<std::uint32_t>(rank)});
    return found == addresses_.end() ? all_of_the_job : found->second;
}

bool McastChannel::keep(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    if (kept_bytes_ + bytes > most_kept) return false;
    kept_bytes_ += bytes;
    return true;
}

void McastChannel::note_losses() {
    const std::lock_guard lock(mutex_);
    share_ = std::max(least_share, share_ * slower);
}

void McastChannel::note_clean_call() {
    const std::lock_guard lock(mutex_);
    share_ = std::min(1.0, share_ * faster);
}

void McastChannel::note_pause(Seconds pause) {
    pause_ = std::max(pause_.load(), std::min(pause, longest_pause));
}

bool McastChannel::receive() {
    const std::lock_guard lock(mutex_);
    const auto take = [this](const McastHeader& header, std::span<const std::byte> data,
                             const McastAddress& from) { this->take(header, data, from); };
    int round = 0;
    while (round < most_rounds && datagrams_->receive(32, take)) ++round;
    if (round < most_rounds) looked_ = mcast_now();
    return round > 0;
}

void McastChannel::take(const McastHeader& header, std::span<const std::byte> data,
                        const McastAddress& from) {
    if (header.key != key_ || header.version != McastHeader{}.version) {
        ++counts_.foreign;
        return;
    }
    if (last_call_.contains(header.context)) addresses_[{header.context, header.sender}] = from;
    const McastCall call{header.context, header.call};
    if (const auto listener = listeners_.find(call); listener != listeners_.end())
        return listener->second->take(header, data);
    const auto last = last_call_.find(header.context);
    if (last == last_call_.end() || std::int64_t{header.call} <= last->second) return;
    const auto bytes = static_cast<Bytes>(data.size() + sizeof(Early));
    if (early_bytes_ + bytes > most_early) return;
    early_bytes_ += bytes;
    early_[call].push_back({header, {data.begin(), data.end()}});
}

}  // namespace eco
