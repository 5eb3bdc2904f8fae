// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_rails.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/job/job_rails.h"
#include "eco/measure/rail_pairs.h"
#include "eco/measure/since.h"
#include "eco/mpi/gather_all.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/transport/fabric_rails.h"
#include "eco/transport/stripes.h"

namespace eco {

namespace {

using nlohmann::json;

// What lies between two sizes goes at a rail's rate, whatever a message costs beside it.
constexpr Bytes latency_bytes = 8, short_bytes = 16384, long_bytes = 131072;
constexpr int latency_trips = 10, less_trips = 12, long_trips = 5;

// Among these is the length from which on stripes pay.
constexpr std::array<Bytes, 6> perhaps_short{256, 512, 1024, 2048, 4096, 8192};
constexpr int short_trips = 12;

class RailMeasuring {
public:
    RailMeasuring(const std::vector<std::string>& hosts, const Levels& levels,
                  const std::vector<int>& leader, const std::set<std::string>& not_joining,
                  const WorkerPool& workers, bool every, Seconds most,
                  const std::function<void(double, const std::string&)>& show)
        : hosts_(hosts),
          levels_(levels),
          leader_(leader),
          not_joining_(not_joining),
          workers_(workers),
          every_(every),
          most_(most),
          show_(show) {
        host_of_.assign(at(workers.ranks()), 0);
        // A rank that does not lead its host takes no part, wherever it is.
        for (std::size_t host = 0; host < leader.size(); ++host)
            if (leader[host] >= 0) host_of_[at(leader[host])] = static_cast<int>(host);
        const auto me = std::find(leader.begin(), leader.end(), workers.rank());
        is_leader_ = me != leader.end();
    }

    std::optional<MeasuredRails> run() {
        const auto cards = share_cards();
        find_providers(cards);
        find_networks(cards);
        // One network leaves nothing to choose, and the pairs' own times say what it carries.
        for (std::size_t n = 0; networks_.size() > 1 && n < networks_.size(); ++n)
            measure_network(cards, n);
        found_.derive(levels_);
        if (joined_.size() > 1) measure_stripes();
        if (found_.rails.empty() && found_.left_out.empty()) return std::nullopt;
        return found_;
    }

private:
    // Of each rank, what its host has.
    std::vector<json> share_cards() const {
        json own = json::object();
        if (is_leader_) {
            const CardNames names = list_cards();
            json cards = json::array();
            for (const auto& card : names.cards)
                cards.push_back({card.name, card.network, card.provider});
            own = {{"cards", cards}, {"left_out", names.left_out}, {"why", names.why}};
        }
        const std::vector<std::string> texts = gather_texts(native().comm_world, own.dump());
        std::vector<json> cards;
        for (const int rank : leader_)
            cards.push_back(rank < 0 ? json::object() : json::parse(texts[at(rank)]));
        return cards;
    }

    // Of each network the provider that most hosts reach it by: two do not understand each other.
    void find_providers(const std::vector<json>& cards) {
        std::map<std::string, std::map<std::string, int>> count;
        for (const auto& host : cards)
            if (host.contains("cards"))
                for (const auto& card : host["cards"]) ++count[card.at(1)][card.at(2)];
        for (const auto& [network, providers] : count)
            provider_of_[network] =
                std::max_element(providers.begin(), providers.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; })
                    ->first;
    }

    // Those that two hosts or more have a NIC in, in the order in which hosts list them.
    void find_networks(const std::vector<json>& cards) {
        std::vector<std::string> all;
        for (std::size_t host = 0; host < cards.size(); ++host) {
            if (!cards[host].contains("cards")) continue;
            if (const std::string why = cards[host]["why"]; !why.empty())
                leave_out(host, "every card", why);
            std::set<std::string> here;
            for (const auto& card : cards[host]["cards"]) {
                const std::string network = card.at(1), provider = card.at(2);
                if (provider != provider_of_[network])
                    leave_out(host, card.at(0),
                              "over " + provider + ", others in " + network + " over " +
                                  provider_of_[network]);
                else if (!here.insert(network).second)
                    leave_out(host, card.at(0), "a second NIC in " + network);
                else if (std::find(all.begin(), all.end(), network) == all.end())
                    all.push_back(network);
            }
            for (const auto& each : cards[host]["left_out"])
                leave_out(host, each.at(0), each.at(1));
        }
        for (const auto& network : all) {
            const auto members = card_in(cards, network);
            const auto count = std::count_if(members.begin(), members.end(),
                                             [](const auto& card) { return !card.empty(); });
            if (found_.provider.empty()) found_.provider = provider_of_[network];
            const bool joins = not_joining_.count(network) == 0;
            if (count > 1 && joins) {
                networks_.push_back(network);
                continue;
            }
            for (std::size_t host = 0; host < members.size(); ++host)
                if (!members[host].empty())
                    leave_out(host, members[host],
                              joins ? "no other host is in " + network
                                    : "hosts do not connect by " + network);
        }
    }

    std::vector<std::string> card_in(const std::vector<json>& cards,
                                     const std::string& network) const {
        std::vector<std::string> members(hosts_.size());
        for (std::size_t host = 0; host < cards.size(); ++host)
            if (cards[host].contains("cards"))
                for (const auto& card : cards[host]["cards"])
                    if (card.at(1) == network && card.at(2) == provider_of_.at(network) &&
                        members[host].empty())
                        members[host] = card.at(0);
        return members;
    }

    void leave_out(std::size_t host, const std::string& card, const std::string& why) {
        found_.left_out.push_back({hosts_[host], card, why});
    }

    void measure_network(const std::vector<json>& cards, std::size_t number) {
        const std::string& network = networks_[number];
        const auto members = card_in(cards, network);
        std::string why;
        JobRails job = open_rails(host_of_, workers_.rank(), {{network, {1, {}}}}, {},
                                  found_.longest_short, is_leader_, why);
        if (!job.open) {
            for (std::size_t host = 0; host < members.size(); ++host)
                if (!members[host].empty())
                    leave_out(host, members[host], "not all NICs in " + network + " can be used");
            return;
        }
        joined_.push_back(network);
        use_rails(job.messages.get());
        if (workers_.rank() == 0) {
            found_.rails.push_back({network, members, table(), table(), {}});
            time_pairs(found_.rails.back(), number);
            workers_.dismiss();
        } else {
            workers_.worker_loop();
        }
        use_rails(nullptr);
        check_mpi(native().Barrier(native().comm_world));
    }

    Table table() const { return Table(hosts_.size(), std::vector<double>(hosts_.size())); }

    void time_pairs(MeasuredRail& rail, std::size_t number) {
        std::vector<int> members;
        for (std::size_t host = 0; host < hosts_.size(); ++host)
            if (!rail.card[host].empty()) members.push_back(static_cast<int>(host));
        const double end = share_of(number, 1);
        auto pairs = rail_pairs(levels_, members, every_);
        bool all = every_, timed = false;
        for (std::size_t p = 0;; ++p) {
            if (p == pairs.size()) {
                if (all || subnets_tell(rail.bandwidth, levels_, members)) break;
                all = true;
                pairs = rail_pairs(levels_, members, all);
                std::erase_if(pairs, [&](HostPair pair) {
                    return rail.bandwidth[at(pair.first)][at(pair.second)] > 0;
                });
                p = 0;
                if (pairs.empty()) break;
            }
            const auto [a, b] = pairs[p];
            const double part = since(start_) / most_;
            if (part > end && timed) break;
            const double done = static_cast<double>(p) / static_cast<double>(pairs.size());
            show_(std::max(share_of(number, done), std::min(part, end)),
                  hosts_[at(a)] + " – " + hosts_[at(b)] + ", " + rail.card[at(a)]);
            time_pair(rail, a, b);
            timed = true;
        }
        infer_untimed(rail.latency, levels_, members);
        infer_untimed(rail.bandwidth, levels_, members);
    }

    // Of all networks, when this part of one is done.
    double share_of(std::size_t number, double done) const {
        return (static_cast<double>(number) + done) / static_cast<double>(networks_.size());
    }

    void time_pair(MeasuredRail& rail, int one, int two) const {
        const auto a = at(one), b = at(two);
        const auto shortest = times(leader_[a], leader_[b], latency_bytes, latency_trips);
        const auto less = times(leader_[a], leader_[b], short_bytes, less_trips);
        const auto more = times(leader_[a], leader_[b], long_bytes, long_trips);
        // The least of both: what disturbs a message makes it longer, and rates that are a tenth
        // off would cut stripes that end at different times.
        const Seconds whole = *std::min_element(more.begin(), more.end());
        const Seconds extra = whole - *std::min_element(less.begin(), less.end());
        const auto bytes = static_cast<double>(long_bytes - short_bytes);
        const double rate = extra > 0 ? bytes / extra : static_cast<double>(long_bytes) / whole;
        rail.latency[a][b] = rail.latency[b][a] =
            *std::min_element(shortest.begin(), shortest.end());
        rail.bandwidth[a][b] = rail.bandwidth[b][a] = rate;
    }

    // The same messages once as short ones and once as long ones, between two hosts that most
    // rails join.
    void measure_stripes() {
        const Native& mpi = native();
        std::vector<double> rates(joined_.size(), 1);
        std::pair<std::size_t, std::size_t> pair;
        if (workers_.rank() == 0) {
            pair = best_joined();
            for (std::size_t n = 0; n < rates.size(); ++n)
                rates[n] = std::max(1.0, found_.rails[n].bandwidth[pair.first][pair.second]);
        }
        check_mpi(
            mpi.Bcast(rates.data(), static_cast<int>(rates.size()), mpi.real64, 0, mpi.comm_world));
        std::map<std::string, RailRates> rate_of;
        for (std::size_t n = 0; n < rates.size(); ++n) rate_of[joined_[n]] = {rates[n], {}};
        std::vector<std::vector<Seconds>> taken;
        for (const Bytes longest : {perhaps_short.back(), Bytes{0}}) {
            std::string why;
            JobRails job =
                open_rails(host_of_, workers_.rank(), rate_of, {}, longest, is_leader_, why);
            if (!job.open) return;
            use_rails(job.messages.get());
            if (workers_.rank() == 0) {
                taken.push_back(time_short_ones(pair.first, pair.second));
                workers_.dismiss();
            } else {
                workers_.worker_loop();
            }
            use_rails(nullptr);
            check_mpi(mpi.Barrier(mpi.comm_world));
        }
        if (workers_.rank() == 0 && found_.most > 1)
            found_.longest_short =
                longest_whole({perhaps_short.begin(), perhaps_short.end()}, taken[0], taken[1]);
    }

    // The first two hosts that no others are joined by more rails than.
    std::pair<std::size_t, std::size_t> best_joined() const {
        for (std::size_t a = 0; a < hosts_.size(); ++a)
            for (std::size_t b = a + 1; b < hosts_.size(); ++b)
                if (std::count_if(found_.rails.begin(), found_.rails.end(), [&](const auto& rail) {
                        return rail.bandwidth[a][b] > 0;
                    }) == found_.most)
                    return {a, b};
        return {0, 1};
    }

    std::vector<Seconds> time_short_ones(std::size_t a, std::size_t b) const {
        std::vector<Seconds> found;
        for (const Bytes bytes : perhaps_short)
            found.push_back(
                upper_median(times(leader_[a], leader_[b], bytes, short_trips, found_.most)));
        return found;
    }

    std::vector<Seconds> times(int clock, int other, Bytes bytes, int trips, int rails = 1) const {
        Order order;
        order.rails = rails;
        order.kind = Order::Kind::rail_trips;
        order.to = other;
        order.bytes = bytes;
        order.count = trips;
        Order answer = order;
        answer.kind = Order::Kind::answer_rail_trips;
        answer.to = clock;
        return workers_.run({{clock, order}, {other, answer}})[0];
    }

    const std::vector<std::string>& hosts_;
    const Levels& levels_;
    const std::vector<int>& leader_;
    const std::set<std::string>& not_joining_;
    const WorkerPool& workers_;
    const bool every_;
    const Seconds most_;
    const std::function<void(double, const std::string&)>& show_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::vector<int> host_of_;
    bool is_leader_ = false;
    std::map<std::string, std::string> provider_of_;
    std::vector<std::string> networks_, joined_;  // those found; those that could be used
    MeasuredRails found_;
};

}  // namespace

std::optional<MeasuredRails> measure_rails(
    const std::vector<std::string>& hosts, const Levels& levels, const std::vector<int>& leader,
    const std::set<std::string>& not_joining, const WorkerPool& workers, bool every, Seconds most,
    const std::function<void(double, const std::string&)>& show) {
    return RailMeasuring(hosts, levels, leader, not_joining, workers, every, most, show).run();
}

}  // namespace eco
