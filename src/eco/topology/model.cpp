// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "eco/topology/block_matrix.h"
#include "eco/topology/profile_reader.h"

namespace eco {

using nlohmann::json;

namespace {

// Clusters; the tables of a running program's model are at most that wide.
constexpr std::size_t most_rows = 64;

constexpr double slowest_byte = 1;  // seconds that no byte takes

std::vector<Cost> read_costs(const json& root, const char* key, std::size_t hosts,
                             const ProfileReader& reader) {
    const json& list = reader.list(root, key);
    const std::string what = key;
    if (list.size() != hosts)
        reader.refuse(what + " has " + std::to_string(list.size()) + " entries, not one per host");
    std::vector<Cost> costs;
    for (const json& entry : list) {
        const auto figures = reader.take<std::vector<double>>(entry, what);
        if (figures.size() != 2) reader.refuse(what + " must have two numbers per host");
        const std::string of = " of host " + std::to_string(costs.size());
        reader.check_figure(figures[0], 0, longest_message, what + of);
        reader.check_figure(figures[1], 0, slowest_byte, what + " per byte" + of);
        costs.push_back({figures[0], figures[1]});
    }
    return costs;
}

Medium read_medium(const json& entry, const Levels& levels, const ProfileReader& reader) {
    Medium medium;
    medium.level = reader.get<int>(entry, "level");
    medium.cluster = reader.get<int>(entry, "cluster");
    const std::string name = "medium of level " + std::to_string(medium.level) + ", cluster " +
                             std::to_string(medium.cluster);
    if (medium.level < 0 || medium.level >= static_cast<int>(levels.size()))
        reader.refuse("the " + name + ": there is no such level");
    const auto& level = levels[static_cast<std::size_t>(medium.level)];
    if (std::count(level.begin(), level.end(), medium.cluster) < 2)
        reader.refuse("the " + name + ": the level has no such cluster of two hosts or more");
    const auto kind = reader.get<std::string>(entry, "kind");
    if (kind != "bus" && kind != "switch")
        reader.refuse("the " + name + " is a '" + kind + "', neither bus nor switch");
    medium.kind = kind == "bus" ? Medium::Kind::bus : Medium::Kind::switched;
    medium.rate = reader.get<double>(entry, "rate");
    reader.check_figure(medium.rate, 1, most_rate, "the rate of " + name);
    if (entry.contains("uplink") && !entry["uplink"].is_null()) {
        medium.uplink = reader.get<double>(entry, "uplink");
        reader.check_figure(medium.uplink, 1, most_rate, "the uplink of " + name);
    }
    if (entry.contains("uplink_in")) {
        medium.uplink_in =
            entry["uplink_in"].is_null() ? 0 : reader.get<double>(entry, "uplink_in");
        reader.check_figure(medium.uplink_in, 0, most_rate, "the uplink of " + name + ", inwards,");
    }
    const auto found_by = reader.get<std::string>(entry, "found_by", "distance");
    if (found_by != "distance" && found_by != "capacity")
        reader.refuse("the " + name + " was found by '" + found_by +
                      "', neither distance nor capacity");
    if (found_by == "capacity") medium.found_by = Medium::FoundBy::capacity;
    for (const auto& [key, burst] :
         {std::pair{"burst", &medium.burst}, {"uplink_burst", &medium.uplink_burst}}) {
        if (!entry.contains(key)) continue;
        *burst = reader.get<double>(entry, key);
        reader.check_figure(*burst, 0, most_rate, std::string("the ") + key + " of " + name);
    }
    return medium;
}

}  // namespace

Cost fit_line(const std::vector<double>& x, const std::vector<Seconds>& times) {
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double weight = 1 / (times[i] * times[i]);
        w += weight;
        wx += weight * x[i];
        wy += weight * times[i];
        wxx += weight * x[i] * x[i];
        wxy += weight * x[i] * times[i];
    }
    const double divisor = w * wxx - wx * wx;
    double slope = divisor > 0 ? std::max(0.0, (w * wxy - wx * wy) / divisor) : 0;
    // A line from zero where the best one begins below it.
    if (wy < slope * wx) slope = wxx > 0 ? wxy / wxx : 0;
    return {std::max(0.0, (wy - slope * wx) / w), slope};
}

json media_json(const std::vector<Medium>& media) {
    json list = json::array();
    for (const Medium& medium : media) {
        list.push_back({{"level", medium.level},
                        {"cluster", medium.cluster},
                        {"kind", medium.kind == Medium::Kind::bus ? "bus" : "switch"},
                        {"rate", medium.rate},
                        {"uplink", medium.uplink > 0 ? json(medium.uplink) : json()}});
        if (medium.burst > 0) list.back()["burst"] = medium.burst;
        if (medium.uplink_burst > 0) list.back()["uplink_burst"] = medium.uplink_burst;
        if (medium.uplink_in >= 0)
            list.back()["uplink_in"] = medium.uplink_in > 0 ? json(medium.uplink_in) : json();
        if (medium.found_by == Medium::FoundBy::capacity) list.back()["found_by"] = "capacity";
    }
    return list;
}

static std::vector<Medium> read_media(const json& root, const Levels& levels,
                                      const ProfileReader& reader) {
    std::vector<Medium> media;
    std::set<std::pair<int, int>> named;
    for (const json& entry : reader.list(root, "media")) {
        media.push_back(read_medium(entry, levels, reader));
        const Medium& medium = media.back();
        if (!named.emplace(medium.level, medium.cluster).second)
            reader.refuse("level " + std::to_string(medium.level) + ", cluster " +
                          std::to_string(medium.cluster) + " has two media");
    }
    return media;
}

static json costs_json(const std::vector<Cost>& list) {
    json array = json::array();
    for (const Cost& cost : list) array.push_back({cost.fixed, cost.per_byte});
    return array;
}

json model_json(const Model& model, const Levels& levels) {
    json root{{"send", costs_json(model.send)},
              {"receive", costs_json(model.receive)},
              {"error", model.error},
              {"media", media_json(model.media)}};
    if (model.shared_gap > 0) root["shared_gap"] = model.shared_gap;
    if (model.knows_transfers())
        root["transfer"] = {{"fixed", matrix_json(model.fixed, levels.back(), false)},
                            {"per_byte", matrix_json(model.per_byte, levels.back(), false)}};
    return root;
}

Model coarse(const Model& model, const Levels& levels) {
    Model result = model;
    result.fixed = result.per_byte = {};
    const auto rows_of = [](const std::vector<int>& level) {
        return static_cast<std::size_t>(*std::max_element(level.begin(), level.end())) + 1;
    };
    const auto level = std::find_if(levels.rbegin(), levels.rend(),
                                    [&](const auto& each) { return rows_of(each) <= most_rows; });
    result.row_of = level == levels.rend() ? std::vector<int>(levels.back().size(), 0) : *level;
    if (level == levels.rend()) return result;
    Table pairs(rows_of(*level), std::vector<double>(rows_of(*level), 0));
    result.fixed = result.per_byte = pairs;
    for (std::size_t a = 0; a < level->size(); ++a)
        for (std::size_t b = 0; b < level->size(); ++b) {
            if (a == b) continue;
            const auto row = static_cast<std::size_t>((*level)[a]),
                       column = static_cast<std::size_t>((*level)[b]);
            result.fixed[row][column] += model.fixed[a][b];
            result.per_byte[row][column] += model.per_byte[a][b];
            pairs[row][column] += 1;
        }
    for (std::size_t row = 0; row < pairs.size(); ++row)
        for (std::size_t column = 0; column < pairs.size(); ++column) {
            const double number = std::max(1.0, pairs[row][column]);
            result.fixed[row][column] /= number;
            result.per_byte[row][column] /= number;
        }
    return result;
}

Model read_model(const json& root, std::size_t hosts, const Levels& levels,
                 const std::string& origin) {
    const ProfileReader reader(origin, "model");
    Model model;
    model.send = read_costs(root, "send", hosts, reader);
    model.receive = read_costs(root, "receive", hosts, reader);
    if (root.contains("transfer")) {
        const json& transfer = reader.object(root, "transfer");
        const auto table = [&](const char* key, double most) {
            return read_matrix(reader.at(transfer, key), std::string("transfer.") + key,
                               levels.back(), most, false, reader);
        };
        model.fixed = table("fixed", longest_message);
        model.per_byte = table("per_byte", slowest_byte);
    }
    model.error = reader.get<double>(root, "error");
    reader.check_figure(model.error, 0, 1e6, "error");
    if (root.contains("shared_gap")) {
        model.shared_gap = reader.get<double>(root, "shared_gap");
        reader.check_figure(model.shared_gap, 0, longest_message, "shared_gap");
    }
    model.media = read_media(root, levels, reader);
    return model;
}

}  // namespace eco
