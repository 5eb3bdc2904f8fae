// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/look_again.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <thread>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/job/share.h"
#include "eco/measure/host_facts.h"
#include "eco/measure/messages.h"
#include "eco/mpi/gather_all.h"
#include "eco/topology/host_names.h"

namespace eco {

namespace {

constexpr int visits = 5;
constexpr std::size_t most_hosts = 8, most_subnets = 24, most_steps = 64;
constexpr std::size_t most_shares = 16, to_compare = 3;
// How much longer the launcher's order must seem than the ring.
constexpr double worth_a_look = 1.1;
constexpr Seconds of_a_visit = 20e-3;
constexpr std::chrono::milliseconds between_visits{100};
// Of what a process usually gets; `eco doctor` names hosts with less than half of that.
constexpr double little = 0.5;
constexpr int again_tag = 41;

// The host of these with the shortest way to `host`, itself apart.
int nearest(const Matrix& times, int host, const std::vector<int>& among) {
    int found = -1;
    for (const int other : among)
        if (other != host && (found < 0 || times(host, other) < times(host, found))) found = other;
    return found;
}

Seconds least_trip(int clock, int other, Bytes bytes, int count, const WorkerPool& workers) {
    Order trips, answers;
    trips.kind = Order::Kind::round_trips;
    trips.to = other;
    trips.bytes = answers.bytes = bytes;
    trips.count = answers.count = count;
    trips.duration = answers.duration = of_a_visit;
    answers.kind = Order::Kind::answer_trips;
    answers.to = clock;
    const auto figures = workers.run({{other, answers}, {clock, trips}});
    Seconds least = std::numeric_limits<double>::infinity();
    for (const Seconds figure : figures[1])
        if (figure > 0) least = std::min(least, figure);
    return least;
}

class LookAgain {
public:
    LookAgain(const Profile& profile, const std::vector<int>& leader, const WorkerPool& workers)
        : profile_(profile), leader_(leader), workers_(workers), subnet_(profile.levels.back()) {
        for (std::size_t host = 0; host < subnet_.size(); ++host) {
            if (at(subnet_[host]) >= subnets_.size()) subnets_.resize(at(subnet_[host]) + 1);
            subnets_[at(subnet_[host])].push_back(static_cast<int>(host));
        }
    }

    nlohmann::json alone() const {
        auto found = nlohmann::json::array();
        for (const auto& members : subnets_) {
            if (members.size() != 1 || found.size() == most_hosts) continue;
            const int near = nearest_of_all(members.front());
            if (near >= 0) found.push_back(beside(members.front(), near));
        }
        return found;
    }

    // Seconds once around all hosts, in the launcher's order and in the ring's; nothing where the
    // ring did not seem shorter.
    nlohmann::json orders() const {
        const auto hosts = static_cast<int>(subnet_.size());
        std::vector<int> given(subnet_.size());
        std::iota(given.begin(), given.end(), 0);
        if (hosts < 3 || subnets_.size() < 2 || profile_.ring.size() != subnet_.size())
            return nullptr;
        const auto& cost = profile_.minimum[partition_size(profile_)];
        if (around(given, cost) < worth_a_look * around(profile_.ring, cost)) return nullptr;
        return {{"given", around_again(given)}, {"ring", around_again(profile_.ring)}};
    }

private:
    Seconds trip(int from, int to, Bytes bytes) const {
        return least_trip(leader_[at(from)], leader_[at(to)], bytes, profile_.round_trips,
                          workers_);
    }

    // Each subnet of several is tried, as it may have been a busy moment that kept the host out of
    // its own. -1: there is none.
    int nearest_of_all(int host) const {
        std::vector<int> tried;
        const Matrix& times = profile_.minimum.front();
        for (const auto& members : subnets_)
            if (members.size() > 1) tried.push_back(nearest(times, host, members));
        std::sort(tried.begin(), tried.end(),
                  [&](int a, int b) { return times(host, a) < times(host, b); });
        if (tried.size() > most_subnets) tried.resize(most_subnets);
        int found = -1;
        Seconds least = std::numeric_limits<double>::infinity();
        for (const int other : tried)
            if (const Seconds time = trip(host, other, profile_.sizes.front()); time < least) {
                least = time;
                found = other;
            }
        return found;
    }

    nlohmann::json beside(int host, int near) const {
        const int other = nearest(profile_.minimum.front(), near, subnets_[at(subnet_[at(near)])]);
        std::vector<Seconds> own_short, own_long, short_beside, long_beside;
        for (int visit = 0; visit < visits; ++visit) {
            std::this_thread::sleep_for(between_visits);
            own_short.push_back(trip(near, host, profile_.sizes.front()));
            short_beside.push_back(trip(near, other, profile_.sizes.front()));
            own_long.push_back(trip(near, host, profile_.sizes.back()));
            long_beside.push_back(trip(near, other, profile_.sizes.back()));
        }
        return {{"host", profile_.hosts[at(host)]},
                {"own", {{"short", own_short}, {"long", own_long}}},
                {"beside", {{"short", short_beside}, {"long", long_beside}}}};
    }

    static Seconds around(const std::vector<int>& order, const Matrix& cost) {
        Seconds sum = 0;
        for (std::size_t i = 0; i < order.size(); ++i)
            sum += cost(order[i], order[(i + 1) % order.size()]);
        return sum;
    }

    // Of many hosts, some steps from all parts.
    Seconds around_again(const std::vector<int>& order) const {
        const std::size_t steps = std::min(order.size(), most_steps);
        Seconds sum = 0;
        for (std::size_t step = 0; step < steps; ++step) {
            const std::size_t i = step * order.size() / steps;
            sum += trip(order[i], order[(i + 1) % order.size()], profile_.partition_bytes);
        }
        return sum;
    }

    const Profile& profile_;
    const std::vector<int>& leader_;
    const WorkerPool& workers_;
    const std::vector<int>& subnet_;  // per host
    std::vector<std::vector<int>> subnets_;
};

}  // namespace

nlohmann::json look_again(const Profile& profile, const std::vector<int>& leader,
                          const WorkerPool& workers) {
    if (profile.hosts.size() < 2) return {{"hosts", nlohmann::json::array()}};
    const LookAgain look(profile, leader, workers);
    nlohmann::json found{{"hosts", look.alone()}};
    if (const auto orders = look.orders(); !orders.is_null()) found["orders"] = orders;
    return found;
}

std::optional<double> share_again(double share) {
    const Native& mpi = native();
    int rank = 0;
    check_mpi(mpi.Comm_rank(mpi.comm_world, &rank));
    struct Own {
        std::uint64_t host;
        double share;
    };
    const auto all = gather_each(mpi.comm_world, Own{name_hash(processor_name()), share});
    std::vector<int> first;  // ranks
    std::vector<double> shares;
    for (std::size_t other = 0; other < all.size(); ++other) {
        const bool known = std::any_of(first.begin(), first.end(), [&](int one) {
            return all[at(one)].host == all[other].host;
        });
        if (known) continue;
        first.push_back(static_cast<int>(other));
        shares.push_back(all[other].share);
    }
    const double usual = upper_median(shares);
    std::vector<int> few, enough;
    for (const int one : first) {
        if (all[at(one)].share < little * usual && few.size() < most_shares) few.push_back(one);
        if (all[at(one)].share >= usual && enough.size() < to_compare) enough.push_back(one);
    }
    if (few.empty()) return std::nullopt;
    few.insert(few.end(), enough.begin(), enough.end());
    std::optional<double> again;
    char word = 0;
    if (rank != 0 && std::find(few.begin(), few.end(), rank) != few.end()) {
        await_bytes(&word, 1, 0, again_tag);
        again = processor_share();
        send_bytes(&word, 1, 0, again_tag);
    }
    if (rank == 0)
        for (const int one : few) {
            if (one == 0) {
                again = processor_share();
                continue;
            }
            send_bytes(&word, 1, one, again_tag);
            await_bytes(&word, 1, one, again_tag);
        }
    sleep_until_rank_0_comes();
    return again;
}

}  // namespace eco
