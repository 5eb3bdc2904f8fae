// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/slow_for_long.h"

#include <algorithm>
#include <map>
#include <set>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/survey/hosts_by_subnet.h"

namespace eco {

namespace {

// What a host takes longer than its neighbours: to be called slow, and to be looked at once more.
constexpr double much_more = 1.7, perhaps_more = 1.3;
// Of the whole time of a long message.
constexpr double least_factor = 1.4;
// Of what a lone host's long messages take longer, its distance explains so much at most.
constexpr double most_by_distance = 0.1;
// Of what is compared with partition_bytes.
constexpr Bytes much_longer = 4;
constexpr std::size_t enough_hosts = 3;

// The pairs inside each subnet.
std::map<int, std::vector<LongPair>> inside(const std::vector<LongPair>& timed,
                                            const std::vector<int>& subnet) {
    std::map<int, std::vector<LongPair>> found;
    for (const LongPair& pair : timed)
        if (subnet[at(pair.a)] == subnet[at(pair.b)]) found[subnet[at(pair.a)]].push_back(pair);
    for (auto& [id, pairs] : found)
        std::stable_sort(pairs.begin(), pairs.end(),
                         [](const auto& x, const auto& y) { return x.extra < y.extra; });
    return found;
}

bool has_long(const Profile& profile) {
    return profile.sizes.back() >= much_longer * profile.partition_bytes;
}

int nearest_of(int host, const Timings& timings, const std::vector<int>& subnet,
               const std::map<int, std::vector<LongPair>>& pairs) {
    const Timings::Entry* nearest = nullptr;
    for (const int index : timings.of(host)) {
        const auto& entry = timings.entries()[at(index)];
        const int other = entry.a == host ? entry.b : entry.a;
        if (pairs.contains(subnet[at(other)]) && (!nearest || entry.least() < nearest->least()))
            nearest = &entry;
    }
    if (!nearest) return -1;
    return subnet[at(nearest->a == host ? nearest->b : nearest->a)];
}

// A profile's times of long messages.
class Long {
public:
    Long(const Profile& profile, const std::optional<Surveyed>& surveyed)
        : profile_(profile),
          by_(partition_size(profile)),
          subnets_(hosts_by_subnet(profile.levels.back())),
          partners_(profile.hosts.size()) {
        if (!has_long(profile)) return;
        const int hosts = static_cast<int>(profile.hosts.size());
        if (surveyed) {
            for (const auto& [a, b] : surveyed->measured.back()) add(a, b);
            return;
        }
        for (int a = 0; a < hosts; ++a)
            for (int b = a + 1; b < hosts; ++b) add(a, b);
    }

    std::vector<Odd> slow() const {
        std::vector<Odd> found;
        for (const auto& [id, hosts] : subnets_) {
            if (hosts.size() == 1) find_lone(hosts.front(), found);
            if (hosts.size() < enough_hosts) continue;
            for (const int host : hosts) {
                if (!is_slower(host, hosts, much_more) || !has_sound_partner(host, hosts)) continue;
                const double factor = least(host, hosts, all_) / usual(hosts, all_);
                if (factor > least_factor) found.push_back({{host}, "slow", factor});
            }
        }
        return found;
    }

    std::vector<HostPair> of_slow() const {
        std::vector<HostPair> found;
        for (const Odd& odd : slow()) {
            const int host = odd.hosts.front();
            // Inside its subnet; of a lone host all are outside.
            const bool alone = subnets_.at(profile_.levels.back()[at(host)]).size() == 1;
            int best = -1;
            for (const int other : partners_[at(host)])
                if ((alone || is_in(other, {host})) &&
                    (best < 0 || whole(host, other) < whole(host, best)))
                    best = other;
            found.push_back(std::minmax(host, best));
        }
        return found;
    }

    std::vector<HostPair> to_try() const {
        std::vector<HostPair> found;
        for (const auto& [id, hosts] : subnets_) {
            if (hosts.size() < enough_hosts) continue;
            for (const int host : hosts) {
                if (!is_slower(host, hosts, perhaps_more)) continue;
                const auto& of = partners_[at(host)];
                const auto sound = std::find_if(of.begin(), of.end(), [&, &hosts = hosts](int b) {
                    return is_in(b, hosts) && !is_slower(b, hosts, perhaps_more);
                });
                if (sound != of.end()) found.push_back(std::minmax(host, *sound));
            }
        }
        return found;
    }

private:
    void add(int a, int b) {
        partners_[at(a)].push_back(b);
        partners_[at(b)].push_back(a);
    }
    bool is_in(int host, const std::vector<int>& hosts) const {
        return profile_.levels.back()[at(host)] == profile_.levels.back()[at(hosts.front())];
    }

    // Of a pair, in seconds.
    using Time = Seconds (Long::*)(int, int) const;
    Seconds extra(int a, int b) const { return whole(a, b) - profile_.minimum[by_](a, b); }
    Seconds whole(int a, int b) const { return profile_.minimum.back()(a, b); }
    static constexpr Time extra_ = &Long::extra, all_ = &Long::whole;

    // With a host among `hosts`; never if it was timed with none.
    Seconds least(int host, const std::vector<int>& hosts, Time time) const {
        Seconds found = never;
        for (const int other : partners_[at(host)])
            if (is_in(other, hosts)) found = std::min(found, (this->*time)(host, other));
        return found;
    }
    // Of these hosts; never if not known.
    Seconds usual(const std::vector<int>& hosts, Time time) const {
        std::vector<double> of;
        for (const int host : hosts)
            if (const Seconds own = least(host, hosts, time); own < never) of.push_back(own);
        return of.empty() ? never : upper_median(of);
    }
    bool is_slower(int host, const std::vector<int>& hosts, double factor) const {
        const Seconds own = least(host, hosts, extra_), theirs = usual(hosts, extra_);
        return own < never && theirs > 0 && own > factor * theirs;
    }
    // Else the partner may be the slow one.
    bool has_sound_partner(int host, const std::vector<int>& hosts) const {
        const auto& of = partners_[at(host)];
        return std::any_of(of.begin(), of.end(), [&](int other) {
            return is_in(other, hosts) && !is_slower(other, hosts, much_more);
        });
    }

    static Seconds least_between(const Matrix& cost, int host, const std::vector<int>& hosts) {
        Seconds least = never;
        for (const int other : hosts)
            if (other != host) least = std::min(least, cost(host, other));
        return least;
    }

    void find_lone(int host, std::vector<Odd>& found) const {
        const auto apart = [&](const std::vector<int>& hosts) {
            return least_between(profile_.minimum[by_], host, hosts);
        };
        const std::vector<int>* nearest = nullptr;
        for (const auto& [id, hosts] : subnets_)
            if (hosts.size() > 1 && (!nearest || apart(hosts) < apart(*nearest))) nearest = &hosts;
        if (!nearest || !is_slower(host, *nearest, much_more)) return;
        Seconds inner = never;
        for (const int other : *nearest)
            inner = std::min(inner, least_between(profile_.minimum[0], other, *nearest));
        const Seconds farther = least_between(profile_.minimum[0], host, *nearest) - inner;
        const Seconds own = least(host, *nearest, all_), theirs = usual(*nearest, all_);
        if (farther < most_by_distance * (own - theirs) && own > least_factor * theirs)
            found.push_back({{host}, "slow", own / theirs});
    }

    const Profile& profile_;
    const std::size_t by_;
    const std::map<int, std::vector<int>> subnets_;
    std::vector<std::vector<int>> partners_;  // with which long messages were timed
};

}  // namespace

std::vector<LongPair> long_pairs(const Profile& profile, const std::vector<Timings>& by_size) {
    std::vector<LongPair> found;
    if (!has_long(profile)) return found;
    for (const auto& entry : by_size.back().entries())
        if (const auto* shorter = by_size[partition_size(profile)].find(entry.a, entry.b))
            found.push_back({entry.a, entry.b, entry.least() - shorter->least()});
    return found;
}

std::vector<HostPair> pairs_to_tell_apart(const std::vector<LongPair>& timed,
                                          const Timings& nearest, const std::vector<int>& subnet) {
    std::set<HostPair> known, found;
    for (const LongPair& pair : timed) known.insert(std::minmax(pair.a, pair.b));
    const auto pairs = inside(timed, subnet);
    const auto compare = [&](int host, const LongPair& fast) {
        if (host == fast.a || host == fast.b) return;
        for (const int other : {fast.a, fast.b})
            if (known.contains(std::minmax(host, other))) return;
        found.insert(std::minmax(host, fast.a));
    };
    for (const auto& [id, own] : pairs) {
        // Few are disturbed, and few hosts are slow.
        const LongPair& fast = own[(own.size() - 1) / 4];
        for (const LongPair& pair : own)
            if (fast.extra > 0 && pair.extra > perhaps_more * fast.extra) {
                compare(pair.a, fast);
                compare(pair.b, fast);
            }
    }
    for (const auto& [id, hosts] : hosts_by_subnet(subnet)) {
        if (hosts.size() > 1) continue;
        const int beside = nearest_of(hosts.front(), nearest, subnet, pairs);
        if (beside >= 0) compare(hosts.front(), pairs.at(beside).front());
    }
    return {found.begin(), found.end()};
}

std::vector<Odd> slow_for_long(const Profile& profile, const std::optional<Surveyed>& surveyed) {
    return Long(profile, surveyed).slow();
}

std::vector<HostPair> pairs_of_slow(const Profile& profile,
                                    const std::optional<Surveyed>& surveyed) {
    return Long(profile, surveyed).of_slow();
}

std::vector<HostPair> pairs_to_try_both_ways(const Profile& profile,
                                             const std::optional<Surveyed>& surveyed) {
    return Long(profile, surveyed).to_try();
}

std::vector<Odd> all_odd(std::vector<Odd> slow, const std::vector<Odd>& slow_for_long,
                         const std::vector<Odd>& links, const std::vector<int>& subnet) {
    std::set<int> explained;
    for (const Odd& host : slow) explained.insert(host.hosts.front());
    for (const Odd& link : links)
        if (subnet[at(link.hosts[0])] == subnet[at(link.hosts[1])])
            explained.insert(link.hosts.begin(), link.hosts.end());
    for (const Odd& host : slow_for_long)
        if (!explained.contains(host.hosts.front())) slow.push_back(host);
    slow.insert(slow.end(), links.begin(), links.end());
    return slow;
}

}  // namespace eco
