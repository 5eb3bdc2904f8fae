// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/runtime.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eco/base/at.h"
#include "eco/topology/build_network.h"
#include "eco/topology/derive_model.h"
#include "eco/topology/find_inter_cluster_costs.h"
#include "eco/topology/profile_reader.h"

namespace eco {

using nlohmann::json;

namespace {

// Numbers that hardly any profile's precision exceeds, in five bytes instead of nine.
double single(double value) { return static_cast<float>(value); }

constexpr double per_mille = 1000, per_second = 1e9;

// The hosts that stay, ascending.
std::set<int> hosts_that_stay(const Profile& profile, const std::vector<int>& host_of) {
    const int hosts = static_cast<int>(profile.hosts.size());
    std::set<int> stay(host_of.begin(), host_of.end());
    stay.erase(-1);
    if (stay.empty()) stay.insert(0);
    const auto add = [&](const std::vector<int>& level, int cluster, int wanted) {
        for (const int host : stay)
            if (level[at(host)] == cluster) --wanted;
        for (int host = 0; host < hosts && wanted > 0; ++host)
            if (level[at(host)] == cluster && stay.insert(host).second) --wanted;
    };
    const std::set<int> of_job = stay;
    for (const auto& level : profile.levels)
        for (const int host : of_job) add(level, level[at(host)], 2);
    // What is one subnet of several does not become the only one.
    const auto& widest = profile.levels.front();
    const int first = widest[at(*stay.begin())];
    const bool together =
        std::all_of(stay.begin(), stay.end(), [&](int host) { return widest[at(host)] == first; });
    const auto other =
        std::find_if(widest.begin(), widest.end(), [&](int id) { return id != first; });
    if (together && other != widest.end()) stay.insert(static_cast<int>(other - widest.begin()));
    // Media count by how much faster they are than the slowest.
    if (profile.model && !profile.model->media.empty()) {
        const auto& media = profile.model->media;
        const auto slowest =
            std::min_element(media.begin(), media.end(),
                             [](const Medium& a, const Medium& b) { return a.rate < b.rate; });
        add(profile.levels[at(slowest->level)], slowest->cluster, 2);
    }
    return stay;
}

// New numbers for what is named by level and cluster.
class Renumbering {
public:
    Renumbering(const Levels& levels, const std::set<int>& stay) {
        for (const auto& level : levels) {
            std::map<int, int> members;
            for (const int host : stay) ++members[level[at(host)]];
            auto& numbers = numbers_.emplace_back();
            for (const auto& [id, count] : members)
                numbers.emplace(id, Entry{static_cast<int>(numbers.size()), count});
        }
    }
    int operator()(std::size_t level, int cluster) const {
        return numbers_[level].at(cluster).number;
    }
    // Drops what is of no cluster with so many hosts; level -1 holds them all.
    template <typename List>
    void apply(List& list, int hosts) const {
        std::erase_if(list, [&](const auto& each) {
            if (each.level < 0) return false;
            const auto found = numbers_[at(each.level)].find(each.cluster);
            return found == numbers_[at(each.level)].end() || found->second.hosts < hosts;
        });
        for (auto& each : list)
            if (each.level >= 0) each.cluster = (*this)(at(each.level), each.cluster);
    }

private:
    struct Entry {
        int number, hosts;
    };
    std::vector<std::map<int, Entry>> numbers_;
};

Model part_of_model(const Model& whole, const std::set<int>& stay) {
    Model part = whole;
    std::map<int, int> numbers;
    for (const int host : stay) numbers.emplace(whole.row_of[at(host)], 0);
    part.fixed.clear();
    part.per_byte.clear();
    for (auto& [row, number] : numbers) {
        number = static_cast<int>(part.fixed.size());
        part.fixed.emplace_back();
        part.per_byte.emplace_back();
        if (whole.fixed.empty()) continue;
        for (const auto& [column, unused] : numbers) {
            part.fixed.back().push_back(whole.fixed[at(row)][at(column)]);
            part.per_byte.back().push_back(whole.per_byte[at(row)][at(column)]);
        }
    }
    part.send.clear();
    part.receive.clear();
    part.row_of.clear();
    for (const int host : stay) {
        part.send.push_back(whole.send[at(host)]);
        part.receive.push_back(whole.receive[at(host)]);
        part.row_of.push_back(numbers.at(whole.row_of[at(host)]));
    }
    if (whole.fixed.empty()) part.fixed = part.per_byte = {};
    return part;
}

// Without what no call of the job asks for: where no two ranks share a host, what is for shared
// ones; and predictions beside which the same was timed for every layout that was.
std::vector<Tuned> tuning_for_job(const std::vector<Tuned>& all, bool hosts_shared) {
    const auto kind = [](const Tuned& tuned) {
        return std::tuple(tuned.operation, tuned.ranks_per_host > 1);
    };
    std::map<std::tuple<std::string, bool>, std::set<std::string>> layouts;
    std::map<std::tuple<std::string, bool, Bytes>, std::set<std::string>> timed;
    Bytes most = -1;
    for (const Tuned& tuned : all) {
        if (tuned.predicted) continue;
        most = std::max(most, tuned.bytes);
        layouts[kind(tuned)].insert(tuned.layout);
        timed[{tuned.operation, tuned.ranks_per_host > 1, tuned.bytes}].insert(tuned.layout);
    }
    std::vector<Tuned> list;
    bool any = false;
    for (const Tuned& tuned : all) {
        const bool shared = tuned.ranks_per_host > 1;
        any = any || !shared || hosts_shared;
        if (tuned.predicted) {
            const auto found = timed.find({tuned.operation, shared, tuned.bytes});
            if (found != timed.end() && found->second == layouts[kind(tuned)]) continue;
        }
        // The longest message that was timed says what is too long.
        if (hosts_shared || !shared || (!tuned.predicted && tuned.bytes == most))
            list.push_back(tuned);
    }
    // A profile with nothing for these ranks is not one without tuning.
    return any ? list : all;
}

// Each text once.
class Texts {
public:
    std::size_t operator()(const std::string& text) {
        const auto [entry, fresh] = numbers_.try_emplace(text, list_.size());
        if (fresh) list_.push_back(text);
        return entry->second;
    }
    json list() const { return list_; }

private:
    std::map<std::string, std::size_t> numbers_;
    std::vector<std::string> list_;
};

// What an entry's times are.
enum Rests { timed, predicted, derived };
Rests rests(const Tuned& tuned) {
    return !tuned.predicted ? timed : tuned.derived ? derived : predicted;
}

// Entries that differ in size only stand together: bytes, choice and ratio of each.
void put_tuning(const std::vector<Tuned>& tuning, json& root) {
    Texts texts;
    json groups = json::array();
    std::map<json, std::size_t> numbers;
    for (const Tuned& tuned : tuning) {
        const json common{texts(tuned.mpi),     texts(tuned.operation), texts(tuned.layout),
                          tuned.ranks_per_host, rests(tuned),           texts(tuned.structure)};
        const auto [group, fresh] = numbers.try_emplace(common, groups.size());
        if (fresh) {
            groups.push_back(common);
            groups.back().push_back(json::array());
        }
        const double ratio = tuned.eco > 0 ? tuned.native / tuned.eco : 0;
        json& rows = groups[group->second].back();
        rows.push_back(tuned.bytes);
        rows.push_back(texts(tuned.choice));
        rows.push_back(std::llround(std::min(ratio, 1e6) * per_mille));
        // For one library what the choice takes, in nanoseconds; for any how far predictions err.
        const Seconds takes = tuned.choice == "native" ? tuned.native : tuned.eco;
        rows.push_back(for_any_library(tuned) ? std::llround(std::min(tuned.noise, 1e6) * per_mille)
                                              : std::llround(std::min(takes, 1e6) * per_second));
    }
    root["texts"] = texts.list();
    root["tuning"] = groups;
}

std::vector<Tuned> read_tuning(const json& root) {
    const auto texts = root.at("texts").get<std::vector<std::string>>();
    const auto text = [&](const json& number) { return texts.at(number.get<std::size_t>()); };
    std::vector<Tuned> tuning;
    for (const json& group : root.at("tuning")) {
        const json& rows = group.at(6);
        for (std::size_t row = 0; row + 3 < rows.size(); row += 4) {
            Tuned& tuned = tuning.emplace_back();
            tuned.mpi = text(group.at(0));
            tuned.operation = text(group.at(1));
            tuned.layout = text(group.at(2));
            group.at(3).get_to(tuned.ranks_per_host);
            tuned.predicted = group.at(4) != timed;
            tuned.derived = group.at(4) == derived;
            tuned.structure = text(group.at(5));
            rows.at(row).get_to(tuned.bytes);
            tuned.choice = text(rows.at(row + 1));
            const double ratio = rows.at(row + 2).get<double>() / per_mille;
            const auto more = rows.at(row + 3).get<double>();
            if (ratio <= 0) continue;
            if (for_any_library(tuned)) tuned.noise = more / per_mille;
            const Seconds takes = for_any_library(tuned) || more <= 0 ? 1 : more / per_second;
            tuned.native = tuned.choice == "native" ? takes : takes * ratio;
            tuned.eco = tuned.native / ratio;
        }
    }
    return tuning;
}

json figures(const std::vector<Cost>& costs) {
    json list = json::array();
    for (const Cost& cost : costs) {
        list.push_back(single(cost.fixed));
        list.push_back(single(cost.per_byte));
    }
    return list;
}

std::vector<Cost> read_short_costs(const json& list) {
    std::vector<Cost> costs;
    for (std::size_t i = 0; i + 1 < list.size(); i += 2)
        costs.push_back({list.at(i).get<double>(), list.at(i + 1).get<double>()});
    return costs;
}

json figures(const Table& table) {
    json list = json::array();
    for (const auto& row : table)
        for (const double figure : row) list.push_back(single(figure));
    return list;
}

Table read_short_table(const json& list) {
    const auto rows = static_cast<std::size_t>(std::lround(std::sqrt(list.size())));
    Table table(rows, std::vector<double>(rows));
    for (std::size_t i = 0; i < list.size(); ++i) list.at(i).get_to(table[i / rows][i % rows]);
    return table;
}

json model_figures(const Model& model) {
    json media = json::array();
    for (const Medium& medium : model.media)
        media.push_back({medium.level, medium.cluster, medium.kind == Medium::Kind::bus ? 1 : 0,
                         medium.rate, medium.uplink, medium.uplink_in,
                         medium.found_by == Medium::FoundBy::capacity ? 1 : 0});
    return {{"send", figures(model.send)},
            {"receive", figures(model.receive)},
            {"rows", model.row_of},
            {"fixed", figures(model.fixed)},
            {"per_byte", figures(model.per_byte)},
            {"error", single(model.error)},
            {"shared_gap", single(model.shared_gap)},
            {"media", media},
            {"assumed", model.assumed}};
}

Model read_figures(const json& root) {
    Model model;
    model.send = read_short_costs(root.at("send"));
    model.receive = read_short_costs(root.at("receive"));
    root.at("rows").get_to(model.row_of);
    model.fixed = read_short_table(root.at("fixed"));
    model.per_byte = read_short_table(root.at("per_byte"));
    root.at("error").get_to(model.error);
    root.at("shared_gap").get_to(model.shared_gap);
    root.at("assumed").get_to(model.assumed);
    for (const json& each : root.at("media")) {
        const auto kind = each.at(2) == 1 ? Medium::Kind::bus : Medium::Kind::switched;
        model.media.push_back({each.at(0).get<int>(), each.at(1).get<int>(), kind,
                               each.at(3).get<double>(), each.at(4).get<double>()});
        each.at(5).get_to(model.media.back().uplink_in);
        if (each.at(6) == 1) model.media.back().found_by = Medium::FoundBy::capacity;
    }
    return model;
}

// One name where all hosts' interfaces have it.
json short_mcast(const MeasuredMcast& mcast) {
    json short_form = mcast_json(mcast);
    const std::set<std::string> names(mcast.interfaces.begin(), mcast.interfaces.end());
    if (names.size() == 1) short_form["interfaces"] = *names.begin();
    return short_form;
}

MeasuredMcast read_short_mcast(json root, std::size_t hosts, const Levels& levels) {
    if (root.at("interfaces").is_string())
        root["interfaces"] = std::vector<std::string>(hosts, root["interfaces"].get<std::string>());
    return read_mcast(root, hosts, levels, "profile");
}

// The profile's, or derived; by rows.
std::optional<Model> short_model(const Profile& profile) {
    if (!profile.model && profile.minimum.empty()) return std::nullopt;
    const Model model = profile.model ? *profile.model : derive_model(profile);
    return model.row_of.empty() ? coarse(model, profile.levels) : model;
}

}  // namespace

Profile part_for_job(const Profile& profile, std::vector<int>& host_of) {
    std::map<int, int> ranks_on;
    bool hosts_shared = false;
    for (const int host : host_of)
        hosts_shared = (host >= 0 && ++ranks_on[host] > 1) || hosts_shared;
    Profile part;
    part.created = profile.created;
    part.measured_hosts = static_cast<int>(profile.hosts.size());
    part.mpi_family = profile.mpi_family;
    part.mpi_version = profile.mpi_version;
    part.tuning = tuning_for_job(profile.tuning, hosts_shared);
    part.inter_cluster_costs = find_inter_cluster_costs(profile);
    part.forwarding = find_forwarding(profile);
    part.model = short_model(profile);
    const auto stay = hosts_that_stay(profile, host_of);
    const Renumbering numbers(profile.levels, stay);
    std::vector<int> place(profile.hosts.size(), -1);
    for (const int host : stay) {
        place[at(host)] = static_cast<int>(part.hosts.size());
        part.hosts.push_back(profile.hosts[at(host)]);
    }
    for (std::size_t l = 0; l < profile.levels.size(); ++l) {
        auto& level = part.levels.emplace_back();
        for (const int host : stay) level.push_back(numbers(l, profile.levels[l][at(host)]));
    }
    for (const int host : profile.ring)
        if (place[at(host)] >= 0) part.ring.push_back(place[at(host)]);
    numbers.apply(part.inter_cluster_costs, 1);
    if (part.model) {
        part.model = part_of_model(*part.model, stay);
        numbers.apply(part.model->media, 2);
    }
    if (profile.rails) {
        part.rails = profile.rails;
        for (MeasuredRail& rail : part.rails->rails) {
            rail.card.clear();
            rail.latency = rail.bandwidth = {};
            numbers.apply(rail.rates.within, 1);
        }
    }
    if (profile.mcast && !profile.mcast->areas.empty()) {
        part.mcast = profile.mcast;
        part.mcast->interfaces.clear();
        for (const int host : stay)
            part.mcast->interfaces.push_back(profile.mcast->interfaces[at(host)]);
        numbers.apply(part.mcast->areas, 1);
    }
    for (int& host : host_of)
        if (host >= 0) host = place[at(host)];
    return part;
}

json runtime_json(const Profile& profile) {
    json root{{"levels", profile.levels},
              {"ring", profile.ring},
              {"measured_hosts", profile.measured_hosts}};
    put_tuning(profile.tuning, root);
    json& inter_cluster_costs = root["inter_cluster_costs"] = json::array();
    for (const InterClusterCost& each : find_inter_cluster_costs(profile))
        for (const double figure : {1.0 * each.level, 1.0 * each.cluster, each.busy.fixed,
                                    each.busy.per_byte, each.whole.fixed, each.whole.per_byte})
            inter_cluster_costs.push_back(single(figure));
    if (const auto model = short_model(profile)) root["model"] = model_figures(*model);
    root["cut_through"] = find_forwarding(profile) == Forwarding::cut_through;
    if (profile.rails) root["rails"] = rates_json(*profile.rails);
    if (profile.mcast) root["mcast"] = short_mcast(*profile.mcast);
    return root;
}

Profile parse_runtime(const json& root) {
    Profile profile;
    root.at("levels").get_to(profile.levels);
    root.at("ring").get_to(profile.ring);
    root.at("measured_hosts").get_to(profile.measured_hosts);
    profile.hosts.resize(profile.ring.size());
    profile.tuning = read_tuning(root);
    const auto figures = root.at("inter_cluster_costs").get<std::vector<double>>();
    for (std::size_t i = 0; i + 5 < figures.size(); i += 6)
        profile.inter_cluster_costs.push_back({static_cast<int>(figures[i]),
                                               static_cast<int>(figures[i + 1]),
                                               {figures[i + 2], figures[i + 3]},
                                               {figures[i + 4], figures[i + 5]}});
    if (root.contains("model")) profile.model = read_figures(root["model"]);
    profile.forwarding =
        root.at("cut_through").get<bool>() ? Forwarding::cut_through : Forwarding::store;
    if (root.contains("mcast"))
        profile.mcast = read_short_mcast(root["mcast"], profile.hosts.size(), profile.levels);
    if (root.contains("rails")) profile.rails = read_rails(root["rails"], 0, {}, "profile");
    return profile;
}

}  // namespace eco
