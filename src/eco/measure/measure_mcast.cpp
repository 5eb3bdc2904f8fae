// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_mcast.h"

#include <time.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/job/job_mcast.h"
#include "eco/measure/mcast_flood.h"
#include "eco/measure/mcast_rate.h"
#include "eco/measure/mcast_way.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/topology/build_network.h"

namespace eco {

namespace {

// A train: long enough to fill the buffers on the way, short for slow links.
constexpr double train_seconds = 0.06;
constexpr int least_train = 48, most_train = 160;
// For each cluster, where some are lost; the fewest show how fast a queue is that overflows.
constexpr int fewest_trains = 8, most_trains = 16;
constexpr double spare = 0.97;
// Ethernet's, if NICs are set to more.
constexpr Bytes usual_mtu = 1500;
// A NIC that went down takes no datagram any more.
constexpr Seconds longest_stop = 2;
// Beyond that a processor is the limit, which a train shows as well.
constexpr double fastest = 1.25e9;
// All trains of all clusters, about.
constexpr Seconds least_seconds = 0.5, most_seconds = 4;

// Rank 0's words to all: who sends how much to whom.
struct Train {
    int sender = -1;  // host; -1: all is done
    int datagrams = 0;
    Bytes payload = 0;
    double rate = 0;  // bytes on the wire per second
};

// What one rank saw of it.
struct TrainSeen {
    double came = 0;    // datagrams
    double passed = 0;  // sent after the first that came, until the last
    Seconds took = 0;   // between these two
    Seconds busy = 0;   // processor time, of the sender while it sent
};

// Of datagrams, at one end.
struct ProcessorTime {
    Seconds busy = 0;
    double datagrams = 0;
    Seconds of_one() const { return datagrams > 0 ? busy / datagrams : 0; }
};

Seconds processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class McastMeasuring {
public:
    McastMeasuring(const Profile& profile, const std::vector<int>& leader,
                   const std::set<std::string>& not_joining, Seconds most,
                   const std::function<void(double, const std::string&)>& show)
        : profile_(profile),
          leader_(leader),
          not_joining_(not_joining),
          most_(std::clamp(most, least_seconds, most_seconds)),
          show_(show),
          hosts_(static_cast<int>(leader.size())) {
        check_mpi(mpi_.Comm_rank(mpi_.comm_world, &rank_));
        check_mpi(mpi_.Comm_size(mpi_.comm_world, &ranks_));
    }

    MeasuredMcast run() {
        const McastKey key = share_mcast_key();
        const MeasuredRails* rails = rank_ == 0 && profile_.rails ? &*profile_.rails : nullptr;
        way_ = std::make_unique<McastWay>(IpFamily::ipv4, key, leader_, not_joining_, rails);
        if (way_->reached() < way_->every_pair() && some_have(IpFamily::ipv6)) {
            auto six =
                std::make_unique<McastWay>(IpFamily::ipv6, key, leader_, not_joining_, rails);
            if (six->reached() > way_->reached()) way_ = std::move(six);
        }
        found_.family = way_->family();
        found_.interfaces = way_->cards();
        found_.payload = way_->shared_payload();
        McastFlood flood(*way_, key, leader_, rank_ == 0 ? flood_plan() : FloodPlan{});
        if (rank_ == 0) {
            find_areas();
            Train none;
            carry_out(none);
            flood.run(slowest());
            note_flood(flood);
        } else {
            Train train;
            do carry_out(train);
            while (train.sender >= 0);
            flood.run(0);
        }
        return found_;
    }

private:
    // The same on all ranks.
    bool some_have(IpFamily family) const {
        int own = way_->host() >= 0 && !mcast_interfaces(family).empty() ? 1 : 0, any = 0;
        check_mpi(mpi_.Allreduce(&own, &any, 1, mpi_.int32, mpi_.max, mpi_.comm_world));
        return any != 0;
    }

    // With its headers on the wire.
    Bytes whole(Bytes payload) const {
        return payload + static_cast<Bytes>(sizeof(McastHeader)) + mcast_frame(way_->family());
    }

    // Rank 0: a train among all hosts; who got how much of it how fast is known to all afterwards.
    void carry_out(Train& train) {
        check_mpi(mpi_.Bcast(&train, sizeof train, mpi_.byte, 0, mpi_.comm_world));
        if (train.sender < 0) return;
        way_->begin_round();
        check_mpi(mpi_.Barrier(mpi_.comm_world));
        std::set<std::uint32_t> came;
        Seconds first = 0, last = 0;
        const auto note = [&](const McastHeader& header) {
            last = mcast_now();
            if (came.empty()) first = last;
            came.insert(header.index);
        };
        const Seconds each = static_cast<double>(whole(train.payload)) / train.rate;
        const Seconds busy_before = processor_time();
        Seconds busy = 0;
        if (way_->host() == train.sender && way_->is_open()) {
            const Seconds began = mcast_now(),
                          latest = began + each * train.datagrams + longest_stop;
            for (int sent = 0; sent < train.datagrams && mcast_now() < latest;) {
                const auto due =
                    std::min(train.datagrams, static_cast<int>((mcast_now() - began) / each) + 2);
                while (sent < due && mcast_now() < latest)
                    if (way_->send(sent, train.payload)) ++sent;
                way_->receive(began + each * (sent - 1), note);
            }
            busy = processor_time() - busy_before;
        }
        const Seconds of_train = way_->host() == train.sender ? 0 : each * train.datagrams;
        way_->receive(mcast_now() + of_train + last_datagram, note);
        if (way_->host() != train.sender) busy = processor_time() - busy_before;
        const double passed = came.empty() ? 0 : *came.rbegin() - *came.begin();
        const TrainSeen own{static_cast<double>(came.size()), passed, last - first, busy};
        constexpr int figures = sizeof own / sizeof(double);
        seen_.assign(at(ranks_), {});
        check_mpi(mpi_.Allgather(&own, figures, mpi_.real64, seen_.data(), figures, mpi_.real64,
                                 mpi_.comm_world));
    }

    // The rest is rank 0's.

    struct Cluster {
        int level, id;
        std::vector<int> hosts;
    };

    // The widest first, each with all hosts that it has; not those of one host.
    std::vector<Cluster> clusters() const {
        std::vector<int> everybody(at(hosts_));
        std::iota(everybody.begin(), everybody.end(), 0);
        std::vector<Cluster> list{{-1, 0, everybody}};
        for (std::size_t level = 0; level < profile_.levels.size(); ++level) {
            const std::set<int> ids(profile_.levels[level].begin(), profile_.levels[level].end());
            for (const int id : ids) {
                Cluster cluster{static_cast<int>(level), id, {}};
                for (const int host : everybody)
                    if (profile_.levels[level][at(host)] == id) cluster.hosts.push_back(host);
                const auto same = [&](const Cluster& other) {
                    return other.hosts == cluster.hosts;
                };
                if (cluster.hosts.size() > 1 && std::none_of(list.begin(), list.end(), same))
                    list.push_back(cluster);
            }
        }
        return list;
    }

    bool all_hear(const std::vector<int>& hosts) const {
        return std::all_of(hosts.begin(), hosts.end(), [&](int a) {
            return std::all_of(hosts.begin(), hosts.end(),
                               [&](int b) { return way_->reach()[at(a)][at(b)]; });
        });
    }

    // Per host, of the narrowest level.
    std::vector<int> subnets() const {
        return profile_.levels.empty() ? std::vector<int>(at(hosts_), 0) : profile_.levels.back();
    }

    FloodPlan flood_plan() const {
        std::vector<std::vector<int>> areas;
        for (const Cluster& cluster : clusters())
            if (all_hear(cluster.hosts)) areas.push_back(cluster.hosts);
        return plan_flood(areas, subnets());
    }

    // Of the areas that were found; 0: there are none.
    double slowest() const {
        double rate = found_.areas.empty() ? 0 : fastest;
        for (const McastArea& area : found_.areas) rate = std::min(rate, area.rate);
        return rate;
    }

    void note_flood(const McastFlood& flood) {
        for (const Cluster& cluster : clusters())
            for (McastArea& area : found_.areas)
                if (area.level == cluster.level && area.cluster == cluster.id)
                    area.flooded = is_flooded(cluster.hosts, flood.plan(), subnets(), flood.got(),
                                              flood.datagrams());
    }

    void find_areas() {
        const auto list = clusters();
        const Network network = build_network(profile_);
        const Seconds end = mcast_now() + most_;
        double done = 0;
        for (const Cluster& cluster : list) {
            show_(done++ / static_cast<double>(list.size()), "multicast");
            if (!all_hear(cluster.hosts)) continue;
            McastArea area;
            area.level = cluster.level;
            area.cluster = cluster.id;
            area.rate = spare * expected(cluster.hosts, network);
            area.tried = false;
            // Else too many clusters to try each: the model says what their links carry.
            if (mcast_now() < end) {
                const McastRate found = try_payloads(cluster, area.rate, end);
                if (!found.works) continue;
                area.rate = found.rate;
                area.loss = found.loss;
                area.tried = found.tried;
                area.send = sent_.of_one();
                area.receive = received_.of_one();
            }
            found_.areas.push_back(area);
        }
    }

    // By the rail of the NICs, or by the links that MPI's messages take.
    double expected(const std::vector<int>& hosts, const Network& network) const {
        double rate = fastest;
        if (profile_.rails) {
            const double rail = profile_.rails->rate_among(hosts, way_->cards(), profile_.levels);
            if (rail > 0) return std::min(rate, rail);
        }
        for (const int link : network.mcast_route(hosts[0], hosts).links)
            rate = std::min(rate, network.links[at(link)].rate);
        return rate;
    }

    // Where no datagram arrives, but the short probes did, they may be too long for a switch.
    McastRate try_payloads(const Cluster& cluster, double rate, Seconds end) {
        McastRate found = try_area(cluster, rate, end - mcast_now());
        const Bytes longest = found_.payload;
        found_.payload = std::min(longest, way_->payload_of(usual_mtu));
        if (!found.none_came || found_.payload == longest) {
            found_.payload = longest;
            return found;
        }
        found = try_area(cluster, rate, end - mcast_now());
        if (!found.works) found_.payload = longest;
        return found;
    }

    // Trains from its first host and from its last.
    McastRate try_area(const Cluster& cluster, double rate, Seconds left) {
        const auto bytes = static_cast<double>(whole(found_.payload));
        const auto count_at = [&](double r) {
            return std::clamp(static_cast<int>(r * train_seconds / bytes), least_train, most_train);
        };
        const Seconds each = bytes * count_at(rate) / rate + last_datagram;
        sent_ = received_ = {};
        const int most = std::clamp(static_cast<int>(left / each), fewest_trains, most_trains);
        return find_mcast_rate(rate, most, [&](bool by_last, double r) {
            const int sender = by_last ? cluster.hosts.back() : cluster.hosts.front();
            Train train{sender, count_at(r), found_.payload, r};
            carry_out(train);
            McastTrain seen{{}, r};
            for (const int host : cluster.hosts) {
                if (host == sender) continue;
                const TrainSeen& there = seen_[at(leader_[at(host)])];
                seen.loss.push_back(1 - there.came / train.datagrams);
                if (there.passed > 0 && there.took > 0)
                    seen.arrived = std::min(seen.arrived, there.passed * bytes / there.took);
                received_.busy += there.busy;
                received_.datagrams += there.came;
            }
            sent_.busy += seen_[at(leader_[at(sender)])].busy;
            sent_.datagrams += train.datagrams;
            return seen;
        });
    }

    const Native& mpi_ = native();
    const Profile& profile_;
    const std::vector<int>& leader_;
    const std::set<std::string>& not_joining_;
    const Seconds most_;
    const std::function<void(double, const std::string&)>& show_;
    const int hosts_;
    int rank_ = 0, ranks_ = 0;
    std::unique_ptr<McastWay> way_;
    std::vector<TrainSeen> seen_;
    ProcessorTime sent_, received_;  // of the area's trains
    MeasuredMcast found_;
};

}  // namespace

MeasuredMcast measure_mcast(const Profile& profile, const std::vector<int>& leader,
                            const std::set<std::string>& not_joining, Seconds most,
                            const std::function<void(double, const std::string&)>& show) {
    return McastMeasuring(profile, leader, not_joining, most, show).run();
}

}  // namespace eco
