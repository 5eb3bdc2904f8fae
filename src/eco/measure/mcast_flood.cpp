// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_flood.h"

#include <algorithm>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/transport/ip_counters.h"

namespace eco {

namespace {

// Enough to be told from what others send; fewer on slow links.
constexpr int least_datagrams = 16, most_datagrams = 64;
constexpr Seconds sending = 50e-3;
// No faster, however fast the links are: switches and hosts keep up.
constexpr Seconds least_pause = 1e-4;
constexpr Bytes short_payload = 8;
// What others send is counted for so much less time.
constexpr double less_before = 3;

}  // namespace

McastFlood::McastFlood(McastWay& way, const McastKey& key, const std::vector<int>& leader,
                       FloodPlan plan)
    : way_(way),
      key_(key),
      leader_(leader),
      plan_(std::move(plan)),
      group_(same_frames(mcast_group(key, way.family()))) {
    share_plan();
    if (!is_true(plan_.joins) || !way_.is_open()) return;
    try {
        member_ = std::make_unique<McastSocket>(group_, way_.nics());
    } catch (const Error&) {
        // Then this host shows nothing.
    }
}

void McastFlood::share_plan() {
    std::vector<int> bits(leader_.size(), 0);
    for (std::size_t host = 0; host < plan_.joins.size(); ++host)
        bits[host] = (plan_.joins[host] ? 1 : 0) + (plan_.sends[host] ? 2 : 0);
    check_mpi(
        mpi_.Bcast(bits.data(), static_cast<int>(bits.size()), mpi_.int32, 0, mpi_.comm_world));
    plan_.joins.assign(bits.size(), false);
    plan_.sends = plan_.joins;
    for (std::size_t host = 0; host < bits.size(); ++host) {
        plan_.joins[host] = (bits[host] & 1) != 0;
        plan_.sends[host] = (bits[host] & 2) != 0;
    }
}

bool McastFlood::is_true(const std::vector<bool>& hosts) const {
    return way_.host() >= 0 && hosts[at(way_.host())];
}

std::int64_t McastFlood::count() {
    const auto found = unwanted_packets(way_.family());
    is_known_ = is_known_ && found && way_.is_open();
    return found.value_or(0);
}

void McastFlood::listen(Seconds until) {
    way_.receive(until, [](const McastHeader&) {});
    while (member_ && member_->receive(32, [&](const McastHeader& header,
                                               std::span<const std::byte>, const McastAddress&) {
        if (header.key == key_) ++own_.came;
    }))
        continue;
}

void McastFlood::send(Seconds each) {
    const Seconds began = mcast_now();
    for (int index = 0; index < datagrams_; ++index) {
        listen(began + each * index);
        way_.send(index, short_payload, group_);
    }
}

void McastFlood::run(double rate) {
    const Bytes whole =
        short_payload + static_cast<Bytes>(sizeof(McastHeader)) + mcast_frame(way_.family());
    check_mpi(mpi_.Bcast(&rate, 1, mpi_.real64, 0, mpi_.comm_world));
    if (rate <= 0) return;
    const Seconds each = std::max(least_pause, static_cast<double>(whole) / rate);
    datagrams_ = std::clamp(static_cast<int>(sending / each), least_datagrams, most_datagrams);
    const Seconds long_enough = each * datagrams_ + last_datagram;
    // What others send meanwhile is counted first, for a part of the time.
    double packets[2] = {};
    for (const bool is_sent : {false, true}) {
        // Before anybody may send.
        const std::int64_t before = count();
        check_mpi(mpi_.Barrier(mpi_.comm_world));
        const Seconds end = mcast_now() + (is_sent ? long_enough : long_enough / less_before);
        if (is_sent && is_true(plan_.sends)) send(each);
        listen(end);
        packets[is_sent ? 1 : 0] = static_cast<double>(count() - before);
    }
    if (is_known_)
        own_.unwanted = unwanted_beside(less_before * packets[0], packets[1], datagrams_);
    int ranks = 0;
    check_mpi(mpi_.Comm_size(mpi_.comm_world, &ranks));
    std::vector<HostGot> all(at(ranks));
    check_mpi(mpi_.Allgather(&own_, 2, mpi_.real64, all.data(), 2, mpi_.real64, mpi_.comm_world));
    got_.assign(leader_.size(), {});
    for (std::size_t host = 0; host < leader_.size(); ++host)
        if (leader_[host] >= 0) got_[host] = all[at(leader_[host])];
}

}  // namespace eco
