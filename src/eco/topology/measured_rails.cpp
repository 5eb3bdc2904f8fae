// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/measured_rails.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "eco/base/median.h"
#include "eco/topology/block_matrix.h"
#include "eco/topology/profile_reader.h"

namespace eco {

using nlohmann::json;

namespace {

constexpr double noise = 0.1;  // of a rate
constexpr Bytes most_short = 1 << 20;

Table read_table(const json& entry, const char* key, const Levels& levels, double most,
                 const ProfileReader& reader) {
    Table table = read_matrix(reader.at(entry, key), key, levels.back(), most, true, reader);
    for (std::size_t a = 0; a < table.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (table[a][b] != table[b][a])
                reader.refuse(std::string(key) + " between hosts " + std::to_string(b) + " and " +
                              std::to_string(a) + " is not the same in both directions");
    return table;
}

std::vector<std::string> read_cards(const json& entry, std::size_t hosts,
                                    const ProfileReader& reader) {
    std::vector<std::string> cards;
    for (const json& card : reader.list(entry, "cards"))
        cards.push_back(card.is_null() ? "" : reader.take<std::string>(card, "cards"));
    if (cards.size() != hosts) reader.refuse("cards needs one entry per host");
    return cards;
}

}  // namespace

static std::pair<int, int> common_cluster(std::size_t a, std::size_t b, const Levels& levels) {
    for (std::size_t level = levels.size(); level-- > 0;)
        if (levels[level][a] == levels[level][b])
            return {static_cast<int>(level), levels[level][a]};
    return {-1, 0};
}

double RailRates::between(int a, int b, const Levels& levels) const {
    const auto [level, cluster] =
        common_cluster(static_cast<std::size_t>(a), static_cast<std::size_t>(b), levels);
    for (const RateWithin& each : within)
        if (each.level == level && each.cluster == cluster) return each.rate;
    return usual;
}

void MeasuredRails::derive(const Levels& levels) {
    const std::size_t hosts = rails.empty() ? 0 : rails.front().bandwidth.size();
    most = 0;
    for (std::size_t a = 0; a < hosts; ++a)
        for (std::size_t b = a + 1; b < hosts; ++b) {
            const auto joins = [&](const MeasuredRail& rail) { return rail.bandwidth[a][b] > 0; };
            most =
                std::max(most, static_cast<int>(std::count_if(rails.begin(), rails.end(), joins)));
        }
    for (MeasuredRail& rail : rails) {
        std::vector<double> all;
        std::map<std::pair<int, int>, std::vector<double>> in_cluster;
        for (std::size_t a = 0; a < hosts; ++a)
            for (std::size_t b = a + 1; b < hosts; ++b) {
                const double bandwidth = rail.bandwidth[a][b];
                if (bandwidth <= 0) continue;
                all.push_back(bandwidth);
                in_cluster[common_cluster(a, b, levels)].push_back(bandwidth);
            }
        rail.rates = {};
        if (all.empty()) continue;
        rail.rates.usual = upper_median(all);
        for (auto& [place, some] : in_cluster) {
            const double rate = upper_median(some);
            if (std::abs(rate - rail.rates.usual) > noise * rail.rates.usual)
                rail.rates.within.push_back({place.first, place.second, rate});
        }
    }
}

double MeasuredRails::rate_of(std::size_t host, const std::string& card) const {
    for (const MeasuredRail& rail : rails)
        if (!card.empty() && rail.card[host] == card) return rail.rates.usual;
    return 0;
}

double MeasuredRails::rate_among(const std::vector<int>& hosts,
                                 const std::vector<std::string>& cards,
                                 const Levels& levels) const {
    for (const MeasuredRail& rail : rails) {
        const auto has_its_card = [&](int host) {
            const std::string& card = cards[static_cast<std::size_t>(host)];
            return !card.empty() && rail.card[static_cast<std::size_t>(host)] == card;
        };
        if (!std::all_of(hosts.begin(), hosts.end(), has_its_card)) continue;
        std::vector<double> each;
        for (const int a : hosts)
            for (const int b : hosts)
                if (a < b) each.push_back(rail.rates.between(a, b, levels));
        return each.empty() ? 0 : *std::min_element(each.begin(), each.end());
    }
    return 0;
}

std::map<std::string, RailRates> MeasuredRails::rates() const {
    std::map<std::string, RailRates> rates;
    for (const MeasuredRail& rail : rails)
        if (rail.rates.usual > 0) rates[rail.network] = rail.rates;
    return rates;
}

json rates_json(const MeasuredRails& rails) {
    json list = json::array();
    for (const MeasuredRail& rail : rails.rails) {
        json within = json::array();
        for (const RateWithin& each : rail.rates.within)
            within.push_back({each.level, each.cluster, each.rate});
        list.push_back({{"network", rail.network}, {"rate", rail.rates.usual}, {"within", within}});
    }
    return {{"provider", rails.provider},
            {"rails", list},
            {"most", rails.most},
            {"longest_short", rails.longest_short}};
}

json rails_json(const MeasuredRails& rails, const Levels& levels) {
    json list = json::array(), left_out = json::array();
    for (const MeasuredRail& rail : rails.rails) {
        json cards = json::array();
        for (const auto& card : rail.card) cards.push_back(card.empty() ? json() : json(card));
        list.push_back({{"network", rail.network},
                        {"cards", cards},
                        {"latency", matrix_json(rail.latency, levels.back(), true)},
                        {"bandwidth", matrix_json(rail.bandwidth, levels.back(), true)}});
    }
    for (const LeftOut& each : rails.left_out)
        left_out.push_back({{"host", each.host}, {"card", each.card}, {"why", each.why}});
    return {{"provider", rails.provider},
            {"rails", list},
            {"left_out", left_out},
            {"longest_short", rails.longest_short}};
}

MeasuredRails read_rails(const json& root, std::size_t hosts, const Levels& levels,
                         const std::string& origin) {
    const ProfileReader reader(origin, "rails");
    const bool runtime = hosts == 0;
    MeasuredRails found;
    found.provider = reader.get<std::string>(root, "provider");
    found.longest_short = reader.get<Bytes>(root, "longest_short", found.longest_short);
    if (found.longest_short < 1 || found.longest_short > most_short)
        reader.refuse("longest_short is out of range");
    std::set<std::string> networks;
    for (const json& entry : reader.list(root, "rails")) {
        MeasuredRail& rail = found.rails.emplace_back();
        rail.network = reader.get<std::string>(entry, "network");
        if (!networks.insert(rail.network).second)
            reader.refuse("the network " + rail.network + " is listed twice");
        if (runtime) {
            entry.at("rate").get_to(rail.rates.usual);
            for (const json& each : entry.at("within"))
                rail.rates.within.push_back({each.at(0), each.at(1), each.at(2)});
        } else {
            rail.card = read_cards(entry, hosts, reader);
            rail.latency = read_table(entry, "latency", levels, longest_message, reader);
            rail.bandwidth = read_table(entry, "bandwidth", levels, most_rate, reader);
        }
    }
    if (runtime) {
        root.at("most").get_to(found.most);
        return found;
    }
    for (const json& entry : reader.list(root, "left_out"))
        found.left_out.push_back({reader.get<std::string>(entry, "host"),
                                  reader.get<std::string>(entry, "card"),
                                  reader.get<std::string>(entry, "why")});
    found.derive(levels);
    return found;
}

}  // namespace eco
