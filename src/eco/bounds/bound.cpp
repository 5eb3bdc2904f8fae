// SPDX-License-Identifier: BSD-3-Clause
#include "eco/bounds/bound.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "eco/base/at.h"
#include "eco/bounds/distances.h"
#include "eco/bounds/joined_parts.h"
#include "eco/bounds/least_costs.h"
#include "eco/bounds/needs.h"
#include "eco/bounds/relay_bound.h"

namespace eco {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
// More hosts than that, and distances are taken from some of them only: still a bound.
constexpr int most_sources = 96;
// A little below, so that rounding makes no bound unsound.
constexpr double slack = 1 - 1e-9;

class Bounding {
public:
    Bounding(const Network& network, const std::vector<int>& host_of, const Needs& needs, Rank root)
        : network_(network),
          host_of_(host_of),
          needs_(needs),
          root_(root),
          ranks_on_(network.hosts.size()),
          distances_(network, host_of),
          hosts_(distances_.hosts()),
          parts_(network, hosts_) {
        for (Rank rank = 0; rank < static_cast<Rank>(host_of.size()); ++rank)
            ranks_on_[at(host_of[at(rank)])].push_back(rank);
        std::vector<Seconds> ready(hosts_.size(), 0);
        if (needs.from_root()) ready = distances_.from(distances_.place(host_of[at(root)]));
        auto crossing = distances_.crossing(ready);
        head_ = std::move(crossing.head);
        tail_ = std::move(crossing.tail);
    }

    Bound run() {
        if (host_of_.size() < 2) return {};
        by_distance();
        by_links();
        by_copies();
        by_all_need_all();
        by_ranks();
        by_fan_out();
        by_relays();
        best_.time *= slack;
        return best_;
    }

private:
    void propose(Seconds time, const std::function<std::string()>& reason) {
        if (time > best_.time || best_.reason.empty()) best_ = {time, reason()};
    }
    std::string carry(int link, double bytes) const {
        return network_.name(link) + " must carry " +
               std::to_string(static_cast<std::int64_t>(bytes + 0.5)) + " bytes";
    }
    double wire(const Need& need) const { return need.any ? network_.wire(need.bytes) : 0; }

    void far(std::size_t a, std::size_t b, Seconds time) {
        propose(time, [&] {
            return "the path from " + network_.hosts[at(hosts_[a])] + " to " +
                   network_.hosts[at(hosts_[b])];
        });
    }

    void by_distance() {
        if (hosts_.size() < 2) {
            const auto host = static_cast<std::size_t>(hosts_.front());
            propose(network_.send[host].fixed + network_.local.fixed + network_.receive[host].fixed,
                    [] { return "one message inside the host"; });
            return;
        }
        if (needs_.from_root() || needs_.to_root()) {
            const std::size_t root = distances_.place(host_of_[at(root_)]);
            const auto distance = needs_.to_root() ? distances_.to(root) : distances_.from(root);
            for (std::size_t h = 0; h < hosts_.size(); ++h)
                needs_.to_root() ? far(h, root, distance[h]) : far(root, h, distance[h]);
            return;
        }
        const std::size_t step =
            (hosts_.size() + most_sources - 1) / static_cast<std::size_t>(most_sources);
        for (std::size_t a = 0; a < hosts_.size(); a += step) {
            const auto distance = distances_.from(a);
            for (std::size_t b = 0; b < hosts_.size(); ++b) {
                const bool counts = !needs_.in_rank_order() || ranks_on_[at(hosts_[a])].front() <
                                                                   ranks_on_[at(hosts_[b])].back();
                if (a != b && counts) far(a, b, distance[b]);
            }
        }
    }

    Set ranks_of(const std::vector<int>& hosts) const {
        std::vector<Rank> ranks;
        for (const int host : hosts)
            ranks.insert(ranks.end(), ranks_on_[at(host)].begin(), ranks_on_[at(host)].end());
        return needs_.set(std::move(ranks));
    }

    double over_bus(int cluster) const {
        const auto joined = parts_.in(cluster);
        const Set whole = ranks_of(network_.clusters[at(cluster)].hosts);
        if (parts_.are_reached_together(joined)) {
            // What each party and the outside must say, once, whoever gets it.
            double said = wire(needs_.into(whole));
            for (const Joined& each : joined) said += wire(needs_.out_of(ranks_of(each.hosts)));
            return said;
        }
        double in = wire(needs_.out_of(whole)), out = wire(needs_.into(whole));
        for (const Joined& each : joined) {
            const Set part = ranks_of(each.hosts);
            in += wire(needs_.into(part));
            out += wire(needs_.out_of(part));
        }
        double most = std::max(in, out);
        if (needs_.all_need_all()) {
            // All that is outside is one more party.
            const bool outside = whole.ranks.size() < host_of_.size();
            most = std::max(most,
                            messages_of_all(static_cast<Bytes>(joined.size()) + (outside ? 1 : 0)));
        }
        return most;
    }

    double messages_of_all(Bytes parties) const {
        const Bytes messages = parties > 1 ? 2 * (parties - 1) : 0;
        return messages > 0 ? network_.wire(messages * needs_.bytes(), messages) : 0;
    }

    // After a rest a bucket lets some of it pass at once.
    Seconds takes(int link, double bytes) const {
        const Link& here = network_.links[at(link)];
        return std::max(0.0, bytes - here.burst) / here.rate;
    }

    Seconds through(int link, double bytes) const {
        return head_[at(link)] + takes(link, bytes) + tail_[at(link)];
    }

    void by_links() {
        for (int link = 0; link < static_cast<int>(network_.links.size()); ++link) {
            const Link& here = network_.links[at(link)];
            if (head_[at(link)] == unlimited) continue;
            double bytes = 0;
            switch (here.kind) {
                case Link::Kind::bus:
                    bytes = over_bus(here.cluster);
                    break;
                case Link::Kind::port_in:
                    bytes = wire(needs_.into(ranks_of({here.host})));
                    break;
                case Link::Kind::port_out:
                    bytes = wire(needs_.out_of(ranks_of({here.host})));
                    break;
                case Link::Kind::uplink_in:
                    bytes = wire(needs_.into(ranks_of(network_.clusters[at(here.cluster)].hosts)));
                    break;
                case Link::Kind::uplink_out:
                    bytes =
                        wire(needs_.out_of(ranks_of(network_.clusters[at(here.cluster)].hosts)));
                    break;
            }
            if (bytes > 0) propose(through(link, bytes), [&] { return carry(link, bytes); });
        }
    }

    // Subnets: hosts with the same innermost cluster.
    struct Subnet {
        std::vector<int> hosts;
        double busy = 0;  // bytes that its bus must carry whatever leaves (or enters) it
        double rate = 0;  // and how many bytes a second may leave (or enter) it beside
    };

    // What enters a subnet has left another: somebody's bus carries that too. The least time in
    // which all that must enter fits into what the others have left; the same backwards.
    void by_copies() {
        for (const bool backwards : {false, true}) {
            if (!backwards && !network_.mcasts.empty()) continue;  // one copy may do for several
            std::vector<Subnet> subnets(network_.clusters.size());
            for (const int host : hosts_)
                subnets[at(network_.cluster_of[at(host)])].hosts.push_back(host);
            double must = 0;
            bool limited = true;
            for (std::size_t c = 0; c < subnets.size(); ++c) {
                if (subnets[c].hosts.empty()) continue;
                must += wire(needed(subnets[c].hosts, backwards));
                limit(subnets[c], static_cast<int>(c), backwards);
                limited = limited && subnets[c].rate < unlimited;
            }
            if (must <= 0 || !limited) continue;
            const auto room = [&](double time) {
                double bytes = 0;
                for (const Subnet& subnet : subnets)
                    bytes += std::max(0.0, time * subnet.rate - subnet.busy);
                return bytes;
            };
            // It grows with time, from nothing: halve until it fits.
            double least = 0, most = 1e-9;
            while (room(most) < must) most *= 2;
            for (int round = 0; round < 60; ++round) {
                const double middle = (least + most) / 2;
                (room(middle) < must ? least : most) = middle;
            }
            const auto first = std::min_element(head_.begin(), head_.end());
            const auto last = std::min_element(tail_.begin(), tail_.end());
            if (first == head_.end() || *first == unlimited) continue;
            propose(least + *first + *last,
                    [] { return "the subnets together must carry what each needs and forwards"; });
        }
    }

    Need needed(const std::vector<int>& hosts, bool backwards) const {
        const Set set = ranks_of(hosts);
        return backwards ? needs_.out_of(set) : needs_.into(set);
    }

    void limit(Subnet& subnet, int cluster, bool backwards) const {
        const Cluster& here = network_.clusters[at(cluster)];
        if (here.bus >= 0) {
            subnet.rate = network_.links[at(here.bus)].rate;
            subnet.busy -= network_.links[at(here.bus)].burst;
            for (const int host : subnet.hosts) subnet.busy += wire(needed({host}, backwards));
            return;
        }
        const auto& ports = backwards ? network_.port_in : network_.port_out;
        for (const int host : subnet.hosts) {
            const int port = ports[at(host)];
            subnet.rate += rate_of(port);
            if (port >= 0) subnet.busy -= network_.links[at(port)].burst;
        }
    }

    // What one party (a host, a cluster, or all that is outside one) can send to others, or take
    // in, in bytes on the wire per second and at once.
    struct Ability {
        double rate, burst;
    };
    double rate_of(int link) const { return link < 0 ? unlimited : network_.links[at(link)].rate; }
    Ability ability_of(const Joined& party, bool out) const {
        const int own = out ? party.out : party.in;
        const int link = rate_of(own) < rate_of(party.bus) ? own : party.bus;
        return {rate_of(link), link < 0 ? 0 : network_.links[at(link)].burst};
    }

    // Sums for all: 2(n-1) messages between n parties, over what all of them can send together, or
    // take in: all hosts, and the parts of every cluster with what is around it. What is multicast
    // is sent once, but each party that gets it takes it in.
    void by_all_need_all() {
        if (!needs_.all_need_all() || network_.links.empty()) return;
        const auto first = *std::min_element(head_.begin(), head_.end());
        const auto last = *std::min_element(tail_.begin(), tail_.end());
        const auto among = [&](const std::vector<Ability>& all, const char* parties) {
            double rate = 0, bytes = messages_of_all(static_cast<Bytes>(all.size()));
            for (const Ability& each : all) {
                rate += each.rate;
                bytes -= each.burst;
            }
            if (all.size() > 1 && rate < unlimited)
                propose(first + std::max(0.0, bytes) / rate + last, [&] {
                    return std::string("all ") + parties +
                           " together must carry 2(n-1) messages between n of them";
                });
        };
        for (const bool out : {true, false}) {
            if (out && !network_.mcasts.empty()) continue;
            std::vector<Ability> hosts;
            for (const int host : hosts_) hosts.push_back(ability_of(parts_.of_host(host), out));
            among(hosts, "ports");
            for (std::size_t c = 0; c < network_.clusters.size(); ++c)
                among(abilities_of_parts(static_cast<int>(c), out), "uplinks");
        }
    }

    std::vector<Ability> abilities_of_parts(int cluster, bool out) const {
        const Cluster& whole = network_.clusters[at(cluster)];
        std::vector<Ability> all;
        for (const Joined& each : parts_.in(cluster)) all.push_back(ability_of(each, out));
        // What is outside sends by what leads in.
        if (ranks_of(whole.hosts).ranks.size() < host_of_.size())
            all.push_back(ability_of(parts_.of_cluster(whole), !out));
        return all;
    }

    // What each rank must send and take in itself.
    void by_ranks() {
        for (const int host : hosts_)
            for (const Rank rank : ranks_on_[at(host)]) {
                const Set self = needs_.set({rank});
                const Need in = needs_.into(self), out = needs_.out_of(self);
                Seconds time = 0;
                if (in.any) time += network_.receive[at(host)].of(in.bytes);
                if (out.any) time += network_.send[at(host)].of(out.bytes);
                propose(time, [&] {
                    return "rank " + std::to_string(rank) + " on " + network_.hosts[at(host)] +
                           " must " + (out.any ? "send " + std::to_string(out.bytes) : "") +
                           (in.any && out.any ? " and " : "") +
                           (in.any ? "receive " + std::to_string(in.bytes) : "") + " bytes";
                });
            }
    }

    // Of the parties of each cluster, over the link that joins one to the others.
    void by_relays() {
        for (int cluster = 0; cluster < static_cast<int>(network_.clusters.size()); ++cluster) {
            std::vector<Joined> joined = parts_.in(cluster);
            std::vector<Party> parties;
            std::vector<char> inside(distances_.count(), 0);
            for (const Joined& each : joined) {
                parties.emplace_back();
                for (const int host : each.hosts) {
                    parties.back().push_back(distances_.place(host));
                    inside[parties.back().back()] = 1;
                }
            }
            Party outside;
            for (std::size_t place = 0; place < inside.size(); ++place)
                if (!inside[place]) outside.push_back(place);
            const RelayBound relays(distances_, std::move(parties), std::move(outside));
            for (std::size_t p = 0; p < joined.size(); ++p) {
                const Set own = ranks_of(joined[p].hosts);
                if (needs_.same_for_all(own) && network_.mcasts.empty())
                    by_relays(relays, p, joined, needs_.out_of(own), false);
                if (needs_.sum_of_all(own)) by_relays(relays, p, joined, needs_.into(own), true);
            }
        }
    }

    void by_relays(const RelayBound& relays, std::size_t own, const std::vector<Joined>& joined,
                   const Need& need, bool backwards) {
        const int link = backwards ? joined[own].in : joined[own].out;
        if (link < 0 || head_[at(link)] == unlimited) return;
        const Seconds once = takes(link, wire(need));
        propose((backwards ? tail_ : head_)[at(link)] + relays.over(own, once, backwards), [&] {
            const std::string what =
                need.bytes > 0 ? std::to_string(need.bytes) + " bytes" : "a message";
            return network_.name(link) + " must carry " + what + " for each of " +
                   std::to_string(joined.size() - 1) +
                   " others, or early enough that one can forward them";
        });
    }

    // From one to all, or backwards: whoever has it tells others one after the other.
    void by_fan_out() {
        Seconds send = unlimited, receive = unlimited, move = unlimited;
        for (std::size_t a = 0; a < hosts_.size(); ++a) {
            send = std::min(send, distances_.send(a));
            receive = std::min(receive, distances_.receive(a));
            if (ranks_on_[at(hosts_[a])].size() > 1) move = std::min(move, network_.local.fixed);
            for (std::size_t b = 0; b < hosts_.size(); ++b)
                if (a != b) move = std::min(move, distances_.move(a, b));
        }
        const auto fan = [&](Seconds own, Seconds other) {
            std::priority_queue<Seconds, std::vector<Seconds>, std::greater<>> told;
            told.push(own + move + other);
            Seconds last = 0;
            for (std::size_t rank = 1; rank < host_of_.size(); ++rank) {
                last = told.top();
                told.pop();
                told.push(last + own);
                told.push(last + own + move + other);
            }
            return last;
        };
        const auto reason = [] { return "ranks inform each other one after the other"; };
        // What is multicast informs several at once; what several say still comes one by one.
        if (!needs_.to_root() && network_.mcasts.empty()) propose(fan(send, receive), reason);
        if (!needs_.from_root()) propose(fan(receive, send), reason);
    }

    const Network& network_;
    const std::vector<int>& host_of_;
    const Needs& needs_;
    Rank root_;
    std::vector<std::vector<Rank>> ranks_on_;  // per host
    const Distances distances_;
    const std::vector<int>& hosts_;  // that have ranks
    const JoinedParts parts_;
    std::vector<Seconds> head_, tail_;  // per link, see Distances::Crossing
    Bound best_;
};

}  // namespace

Bound find_bound(const Network& network, const std::vector<int>& host_of, Operation operation,
                 Rank root, Bytes bytes) {
    const Needs needs(operation, static_cast<int>(host_of.size()), root, std::max<Bytes>(bytes, 0));
    return Bounding(LeastCosts(network).network(), host_of, needs, root).run();
}

}  // namespace eco
