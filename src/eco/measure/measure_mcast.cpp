// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_mcast.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/job/job_mcast.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/topology/network.h"
#include "eco/transport/mcast_socket.h"

namespace eco {

namespace {

// A host sends probes so often by each NIC; who receives two of three is reached.
constexpr int probes = 3, enough_probes = 2;
constexpr Seconds between_probes = 2e-4;
// Until switches have seen who joined, and after the last probe.
constexpr Seconds joining = 50e-3, last_probe = 60e-3;
constexpr int most_interfaces = 8;

// A train: long enough to fill the buffers on the way, short for slow links.
constexpr double train_seconds = 0.06;
constexpr int least_train = 48, most_train = 160;
constexpr int most_trials = 5;
constexpr double slower = 0.7, spare = 0.97;
// Beyond that a processor is the limit, which a train shows as well.
constexpr double fastest = 1.25e9;
// All trains of all clusters, about.
constexpr Seconds least_seconds = 0.5, most_seconds = 4;

// Rank 0's words to all: who sends how much to whom.
struct Train {
    int sender = -1;  // host; -1: all is done
    int datagrams = 0;
    double rate = 0;  // bytes on the wire per second
};

class McastMeasuring {
public:
    McastMeasuring(const Profile& profile, const std::vector<int>& leader, Seconds most,
                   const std::function<void(double, const std::string&)>& show)
        : profile_(profile),
          leader_(leader),
          most_(std::clamp(most, least_seconds, most_seconds)),
          show_(show),
          hosts_(static_cast<int>(leader.size())) {
        check_mpi(mpi_.Comm_rank(mpi_.comm_world, &rank_));
        check_mpi(mpi_.Comm_size(mpi_.comm_world, &ranks_));
        const auto mine = std::find(leader.begin(), leader.end(), rank_);
        if (mine != leader.end()) host_ = static_cast<int>(mine - leader.begin());
    }

    MeasuredMcast run() {
        key_ = share_mcast_key();
        probe(IpFamily::ipv4);
        const int by_four = reached();
        if (by_four < every_pair() && some_have(IpFamily::ipv6)) {
            Way four = std::move(way_);
            probe(IpFamily::ipv6);
            if (reached() <= by_four) way_ = std::move(four);
        }
        found_.family = way_.family;
        found_.interfaces = way_.names;
        found_.payload = shared_payload();
        if (rank_ == 0) {
            find_areas();
            Train none;
            carry_out(none);
        } else {
            Train train;
            do carry_out(train);
            while (train.sender >= 0);
        }
        return found_;
    }

private:
    // Who reaches whom by one family, which all hosts use.
    struct Way {
        IpFamily family = IpFamily::ipv4;
        std::vector<McastInterface> interfaces;
        std::unique_ptr<McastSocket> socket;
        std::size_t interface = most_interfaces;  // by which this host sends; beyond all: none
        std::vector<std::vector<bool>> reach;     // row = sender, column = receiver
        std::vector<std::string> names;           // per host, of the interface by which it sends
    };

    void probe(IpFamily family) {
        way_ = Way{};
        way_.family = family;
        open();
        send_probes();
        choose_interfaces();
    }

    int every_pair() const {
        const auto none = static_cast<int>(std::count(leader_.begin(), leader_.end(), -1));
        return (hosts_ - none) * (hosts_ - none) + none;
    }

    // Pairs of hosts, each with itself too. The same on all ranks.
    int reached() const {
        int pairs = 0;
        for (const auto& row : way_.reach)
            pairs += static_cast<int>(std::count(row.begin(), row.end(), true));
        return pairs;
    }

    // The same on all ranks.
    bool some_have(IpFamily family) const {
        int own = host_ >= 0 && !mcast_interfaces(family).empty() ? 1 : 0, any = 0;
        check_mpi(mpi_.Allreduce(&own, &any, 1, mpi_.int32, mpi_.max, mpi_.comm_world));
        return any != 0;
    }

    void open() {
        if (host_ < 0) return;
        way_.interfaces = mcast_interfaces(way_.family);
        if (way_.interfaces.size() > most_interfaces) way_.interfaces.resize(most_interfaces);
        try {
            if (!way_.interfaces.empty())
                way_.socket =
                    std::make_unique<McastSocket>(mcast_group(key_, way_.family), way_.interfaces);
        } catch (const Error&) {
            // Then this host neither sends nor receives.
        }
    }

    Datagram datagram(int index, Bytes bytes) {
        Datagram datagram{};
        datagram.header.key = key_;
        datagram.header.call = number_;
        datagram.header.sender = static_cast<std::uint32_t>(host_);
        datagram.header.index = static_cast<std::uint32_t>(index);
        padding_.resize(static_cast<std::size_t>(bytes));
        datagram.data = padding_.data();
        datagram.bytes = bytes;
        return datagram;
    }

    // What has come of the present round, by `take`.
    template <typename Take>
    void receive(Seconds until, Take take) {
        while (way_.socket) {
            const Seconds left = until - mcast_now();
            way_.socket->sleep(std::clamp(left, 0.0, 0.01));
            while (
                way_.socket->receive(32, [&](const McastHeader& header,
                                             std::span<const std::byte> data, const McastAddress&) {
                    if (header.key == key_ && header.call == number_) take(header, data);
                }))
                continue;
            if (left <= 0) return;
        }
    }

    // Hosts send one after the other, all receive all the time.
    void send_probes() {
        ++number_;
        received_.assign(at(hosts_) * most_interfaces, 0);
        receive(mcast_now() + joining, [](const McastHeader&, std::span<const std::byte>) {});
        check_mpi(mpi_.Barrier(mpi_.comm_world));
        const auto note = [&](const McastHeader& header, std::span<const std::byte>) {
            if (header.sender < at(hosts_) && header.interface < most_interfaces)
                ++received_[header.sender * most_interfaces + header.interface];
        };
        const Seconds began = mcast_now();
        const Seconds turn = between_probes * probes * most_interfaces / 2;
        if (way_.socket) {
            receive(began + turn * host_, note);
            for (int time = 0; time < probes; ++time)
                for (std::size_t i = 0; i < way_.interfaces.size(); ++i) {
                    way_.socket->send_by(way_.interfaces[i]);
                    Datagram hello = datagram(time, 8);
                    hello.header.interface = static_cast<std::uint32_t>(i);
                    way_.socket->send({&hello, 1}, all_of_the_job);
                    receive(mcast_now() + between_probes, note);
                }
            receive(began + turn * hosts_, note);
        }
        // Where many ranks share processors, some send late.
        check_mpi(mpi_.Barrier(mpi_.comm_world));
        if (way_.socket) receive(mcast_now() + last_probe, note);
    }

    // By which NIC each host is received by most; then who reaches whom.
    void choose_interfaces() {
        std::vector<unsigned char> own(at(hosts_), 0), all(own.size() * at(ranks_));
        for (std::size_t sender = 0; sender < own.size(); ++sender)
            for (std::size_t i = 0; i < most_interfaces; ++i)
                if (received_[sender * most_interfaces + i] >= enough_probes)
                    own[sender] = static_cast<unsigned char>(own[sender] | 1U << i);
        check_mpi(mpi_.Allgather(own.data(), hosts_, mpi_.byte, all.data(), hosts_, mpi_.byte,
                                 mpi_.comm_world));
        const auto receives = [&](std::size_t receiver, std::size_t sender, std::size_t interface) {
            return leader_[receiver] >= 0 && leader_[sender] >= 0 &&
                   (all[at(leader_[receiver]) * at(hosts_) + sender] >> interface & 1) != 0;
        };
        way_.reach.assign(at(hosts_), std::vector<bool>(at(hosts_), false));
        for (std::size_t sender = 0; sender < at(hosts_); ++sender) {
            std::vector<int> receivers(most_interfaces, 0);
            for (std::size_t i = 0; i < most_interfaces; ++i)
                for (std::size_t receiver = 0; receiver < at(hosts_); ++receiver)
                    if (receiver != sender && receives(receiver, sender, i)) ++receivers[i];
            const auto best = static_cast<std::size_t>(
                std::max_element(receivers.begin(), receivers.end()) - receivers.begin());
            for (std::size_t receiver = 0; receiver < at(hosts_); ++receiver)
                way_.reach[sender][receiver] =
                    receiver == sender || receives(receiver, sender, best);
            if (static_cast<int>(sender) == host_ && receivers[best] > 0) way_.interface = best;
        }
        share_names();
        if (way_.socket && way_.interface < way_.interfaces.size())
            way_.socket->send_by(way_.interfaces[way_.interface]);
    }

    void share_names() {
        constexpr int longest = 16;  // IFNAMSIZ
        std::string own(longest, '\0'), all(at(longest * ranks_), '\0');
        if (way_.interface < way_.interfaces.size()) own = way_.interfaces[way_.interface].name;
        own.resize(longest);
        check_mpi(mpi_.Allgather(own.data(), longest, mpi_.byte, all.data(), longest, mpi_.byte,
                                 mpi_.comm_world));
        for (const int rank : leader_)
            way_.names.emplace_back(rank < 0 ? "" : all.c_str() + at(rank * longest));
    }

    // What fits the least MTU of those that take part.
    Bytes shared_payload() {
        int own = 65535, least = 0;
        if (way_.interface < way_.interfaces.size())
            own = static_cast<int>(way_.interfaces[way_.interface].mtu);
        check_mpi(mpi_.Allreduce(&own, &least, 1, mpi_.int32, mpi_.min, mpi_.comm_world));
        const Bytes mtu = std::min<Bytes>(least, 9000);
        return (mtu - ip_and_udp(way_.family) - static_cast<Bytes>(sizeof(McastHeader))) / 8 * 8;
    }

    // Rank 0: a train among all hosts; who got how much of it how fast is known to all afterwards.
    void carry_out(Train& train) {
        check_mpi(mpi_.Bcast(&train, sizeof train, mpi_.byte, 0, mpi_.comm_world));
        if (train.sender < 0) return;
        ++number_;
        check_mpi(mpi_.Barrier(mpi_.comm_world));
        std::set<std::uint32_t> came;
        Seconds first = 0, last = 0;
        const auto note = [&](const McastHeader& header, std::span<const std::byte>) {
            last = mcast_now();
            if (came.empty()) first = last;
            came.insert(header.index);
        };
        const Bytes whole =
            found_.payload + static_cast<Bytes>(sizeof(McastHeader)) + mcast_frame(way_.family);
        const Seconds each = static_cast<double>(whole) / train.rate;
        if (host_ == train.sender && way_.socket) {
            const Seconds began = mcast_now();
            for (int sent = 0; sent < train.datagrams;) {
                const auto due =
                    std::min(train.datagrams, static_cast<int>((mcast_now() - began) / each) + 2);
                while (sent < due) {
                    Datagram next = datagram(sent, found_.payload);
                    if (way_.socket->send({&next, 1}, all_of_the_job) == 1) ++sent;
                }
                receive(began + each * (sent - 1), note);
            }
        }
        receive(mcast_now() + each * train.datagrams * (host_ == train.sender ? 0 : 1) + last_probe,
                note);
        // Datagrams, and how long those after the first took; of each rank.
        const double own[2] = {static_cast<double>(came.size()), last - first};
        results_.assign(2 * at(ranks_), 0);
        check_mpi(
            mpi_.Allgather(own, 2, mpi_.real64, results_.data(), 2, mpi_.real64, mpi_.comm_world));
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
                               [&](int b) { return way_.reach[at(a)][at(b)]; });
        });
    }

    void find_areas() {
        const auto list = clusters();
        const Network network = build_network(profile_);
        const Seconds began = mcast_now();
        double done = 0;
        for (const Cluster& cluster : list) {
            show_(done++ / static_cast<double>(list.size()), "multicast");
            if (!all_hear(cluster.hosts)) continue;
            double rate = fastest;
            for (const int link : network.mcast_route(cluster.hosts[0], cluster.hosts).links)
                rate = std::min(rate, network.links[at(link)].rate);
            McastArea area{cluster.level, cluster.id, rate * spare, 0};
            // Too many clusters to try each: the model says what their links carry.
            if (mcast_now() - began < most_ && !try_area(cluster, area)) continue;
            found_.areas.push_back(area);
        }
    }

    // From its first host and from its last; slower until nothing is lost.
    bool try_area(const Cluster& cluster, McastArea& area) {
        int clean = 0;
        for (int trial = 0; trial < most_trials && clean < 2; ++trial) {
            const Bytes whole =
                found_.payload + static_cast<Bytes>(sizeof(McastHeader)) + mcast_frame(way_.family);
            const int count =
                std::clamp(static_cast<int>(area.rate * train_seconds / static_cast<double>(whole)),
                           least_train, most_train);
            const int sender = clean == 0 ? cluster.hosts.front() : cluster.hosts.back();
            Train train{sender, count, area.rate};
            carry_out(train);
            double least = 1, slowest = area.rate;
            for (const int host : cluster.hosts) {
                if (host == sender) continue;
                const double came = results_[2 * at(leader_[at(host)])];
                const Seconds took = results_[2 * at(leader_[at(host)]) + 1];
                least = std::min(least, came / count);
                if (came > 1 && took > 0)
                    slowest = std::min(slowest, (came - 1) * static_cast<double>(whole) / took);
            }
            area.loss = 1 - least;
            if (area.loss > 0) {
                // A few are lost by chance: that is repaired. Many: it is too fast.
                const bool by_chance = area.loss < 0.1 && trial > 0;
                if (!by_chance) area.rate *= slower;
                clean += by_chance ? 1 : 0;
            } else {
                // Queues hide for a while that they fill.
                area.rate = std::min(area.rate, std::max(slowest, slower * area.rate));
                ++clean;
            }
        }
        return clean == 2;
    }

    const Native& mpi_ = native();
    const Profile& profile_;
    const std::vector<int>& leader_;
    const Seconds most_;
    const std::function<void(double, const std::string&)>& show_;
    const int hosts_;
    int rank_ = 0, ranks_ = 0, host_ = -1;
    McastKey key_{};
    Way way_;
    std::vector<std::byte> padding_;
    std::uint32_t number_ = 0;   // of the round
    std::vector<int> received_;  // per sender and NIC of its
    std::vector<double> results_;
    MeasuredMcast found_;
};

}  // namespace

MeasuredMcast measure_mcast(const Profile& profile, const std::vector<int>& leader, Seconds most,
                            const std::function<void(double, const std::string&)>& show) {
    return McastMeasuring(profile, leader, most, show).run();
}

}  // namespace eco
