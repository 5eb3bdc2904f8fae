#include "eco/topology/model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "eco/base/error.h"
#include "eco/base/median.h"
#include "eco/topology/profile.h"

namespace eco {

using nlohmann::json;

namespace {

constexpr double longest = 3600;    // seconds that no message takes
constexpr double slowest_byte = 1;  // seconds that no byte takes
constexpr double most_rate = 1e13;  // bytes per second that no medium carries

// Of the latency, what sender and receiver are each taken to spend where it was not measured.
constexpr double overhead_share = 0.05;

[[noreturn]] void refuse(const std::string& origin, const std::string& why) {
    throw Error(Code::bad_input, origin + ": model: " + why + "; measure again with 'eco measure'");
}

void check_figure(double value, double least, double most, const std::string& what,
                  const std::string& origin) {
    if (std::isfinite(value) && value >= least && value < most) return;
    std::ostringstream text;
    text << what << " is " << value << ", which no network has";
    refuse(origin, text.str());
}

std::vector<Cost> read_costs(const json& list, const std::string& what, std::size_t hosts,
                             const std::string& origin) {
    if (list.size() != hosts)
        refuse(origin, what + " has " + std::to_string(list.size()) + " entries, not one per host");
    std::vector<Cost> costs;
    for (const auto& entry : list) {
        if (entry.size() != 2) refuse(origin, what + " takes two figures per host");
        const std::string of = " of host " + std::to_string(costs.size());
        costs.push_back({entry.at(0).get<double>(), entry.at(1).get<double>()});
        check_figure(costs.back().fixed, 0, longest, what + of, origin);
        check_figure(costs.back().per_byte, 0, slowest_byte, what + " per byte" + of, origin);
    }
    return costs;
}

Table read_table(const json& rows, const std::string& what, std::size_t hosts, double most,
                 const std::string& origin) {
    const auto table = rows.get<Table>();
    if (table.size() != hosts) refuse(origin, what + " does not have one row per host");
    for (std::size_t a = 0; a < hosts; ++a) {
        if (table[a].size() != hosts) refuse(origin, what + " is not square");
        for (std::size_t b = 0; b < hosts; ++b)
            check_figure(table[a][b], 0, most,
                         what + " between hosts " + std::to_string(a) + " and " + std::to_string(b),
                         origin);
    }
    return table;
}

Medium read_medium(const json& entry, const Levels& levels, const std::string& origin) {
    Medium medium;
    entry.at("level").get_to(medium.level);
    entry.at("cluster").get_to(medium.cluster);
    const std::string name = "the medium of level " + std::to_string(medium.level) + ", cluster " +
                             std::to_string(medium.cluster);
    if (medium.level < 0 || medium.level >= static_cast<int>(levels.size()))
        refuse(origin, name + ": there is no such level");
    const auto& level = levels[static_cast<std::size_t>(medium.level)];
    if (std::count(level.begin(), level.end(), medium.cluster) < 2)
        refuse(origin, name + ": the level has no such cluster of two hosts or more");
    const auto kind = entry.at("kind").get<std::string>();
    if (kind != "bus" && kind != "switch")
        refuse(origin, name + " is a '" + kind + "', neither bus nor switch");
    medium.kind = kind == "bus" ? Medium::Kind::bus : Medium::Kind::switched;
    entry.at("rate").get_to(medium.rate);
    check_figure(medium.rate, 1, most_rate, "the rate of " + name.substr(4), origin);
    if (entry.contains("uplink") && !entry["uplink"].is_null()) {
        entry["uplink"].get_to(medium.uplink);
        check_figure(medium.uplink, 1, most_rate, "the uplink of " + name.substr(4), origin);
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

Model derive_model(const Profile& profile) {
    const int hosts = static_cast<int>(profile.hosts.size());
    Model model;
    model.assumed = true;
    model.fixed = Table(profile.hosts.size(), std::vector<double>(profile.hosts.size(), 0));
    model.per_byte = model.fixed;
    std::vector<double> errors;
    for (int a = 0; a < hosts; ++a) {
        Seconds least = longest;
        for (int b = 0; b < hosts; ++b)
            if (b != a) least = std::min(least, profile.minimum.front()(a, b));
        const Cost overhead{hosts > 1 ? overhead_share * least : 0, 0};
        model.send.push_back(overhead);
        model.receive.push_back(overhead);
    }
    for (int a = 0; a < hosts; ++a)
        for (int b = 0; b < hosts; ++b) {
            if (a == b) continue;
            std::vector<Seconds> times;
            for (const auto& matrix : profile.minimum) times.push_back(matrix(a, b));
            const Cost line = fit_line({profile.sizes.begin(), profile.sizes.end()}, times);
            for (std::size_t s = 0; s < times.size(); ++s)
                errors.push_back(std::abs(line.of(profile.sizes[s]) / times[s] - 1));
            const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
            model.fixed[row][column] =
                std::max(0.0, line.fixed - model.send[row].fixed - model.receive[column].fixed);
            model.per_byte[row][column] = line.per_byte;
        }
    if (!errors.empty()) model.error = upper_median(std::move(errors));
    return model;
}

json media_json(const std::vector<Medium>& media) {
    json list = json::array();
    for (const Medium& medium : media)
        list.push_back({{"level", medium.level},
                        {"cluster", medium.cluster},
                        {"kind", medium.kind == Medium::Kind::bus ? "bus" : "switch"},
                        {"rate", medium.rate},
                        {"uplink", medium.uplink > 0 ? json(medium.uplink) : json()}});
    return list;
}

std::vector<Medium> read_media(const json& root, const Levels& levels, const std::string& origin) {
    std::vector<Medium> media;
    std::set<std::pair<int, int>> named;
    for (const auto& entry : root) {
        media.push_back(read_medium(entry, levels, origin));
        const Medium& medium = media.back();
        if (!named.emplace(medium.level, medium.cluster).second)
            refuse(origin, "level " + std::to_string(medium.level) + ", cluster " +
                               std::to_string(medium.cluster) + " has two media");
    }
    return media;
}

static json costs_json(const std::vector<Cost>& list) {
    json array = json::array();
    for (const Cost& cost : list) array.push_back({cost.fixed, cost.per_byte});
    return array;
}

json model_json(const Model& model) {
    return {{"send", costs_json(model.send)},
            {"receive", costs_json(model.receive)},
            {"transfer", {{"fixed", model.fixed}, {"per_byte", model.per_byte}}},
            {"error", model.error},
            {"media", media_json(model.media)}};
}

json coarse_json(const Model& model, const Levels& levels) {
    const auto& subnet = levels.back();
    const auto count =
        static_cast<std::size_t>(*std::max_element(subnet.begin(), subnet.end())) + 1;
    Table fixed(count, std::vector<double>(count, 0)), per_byte = fixed, pairs = fixed;
    for (std::size_t a = 0; a < subnet.size(); ++a)
        for (std::size_t b = 0; b < subnet.size(); ++b) {
            if (a == b) continue;
            const auto row = static_cast<std::size_t>(subnet[a]),
                       column = static_cast<std::size_t>(subnet[b]);
            fixed[row][column] += model.fixed[a][b];
            per_byte[row][column] += model.per_byte[a][b];
            pairs[row][column] += 1;
        }
    for (std::size_t row = 0; row < count; ++row)
        for (std::size_t column = 0; column < count; ++column) {
            const double number = std::max(1.0, pairs[row][column]);
            // Single precision, in which they are sent with four bytes each: most of it all where
            // there are many subnets.
            fixed[row][column] = static_cast<float>(fixed[row][column] / number);
            per_byte[row][column] = static_cast<float>(per_byte[row][column] / number);
        }
    return {{"send", costs_json(model.send)},
            {"receive", costs_json(model.receive)},
            {"fixed", fixed},
            {"per_byte", per_byte},
            {"error", model.error},
            {"media", media_json(model.media)},
            {"assumed", model.assumed}};
}

Model read_coarse(const json& root, const Levels& levels) {
    const std::size_t hosts = levels.back().size();
    Model model;
    model.send = read_costs(root.at("send"), "send", hosts, "profile");
    model.receive = read_costs(root.at("receive"), "receive", hosts, "profile");
    const auto fixed = root.at("fixed").get<Table>(), per_byte = root.at("per_byte").get<Table>();
    for (const int a : levels.back()) {
        model.fixed.emplace_back();
        model.per_byte.emplace_back();
        for (const int b : levels.back()) {
            const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
            model.fixed.back().push_back(fixed.at(row).at(column));
            model.per_byte.back().push_back(per_byte.at(row).at(column));
        }
    }
    root.at("error").get_to(model.error);
    root.at("assumed").get_to(model.assumed);
    model.media = read_media(root.at("media"), levels, "profile");
    return model;
}

Model read_model(const json& root, std::size_t hosts, const Levels& levels,
                 const std::string& origin) {
    Model model;
    model.send = read_costs(root.at("send"), "send", hosts, origin);
    model.receive = read_costs(root.at("receive"), "receive", hosts, origin);
    const auto& transfer = root.at("transfer");
    model.fixed = read_table(transfer.at("fixed"), "transfer.fixed", hosts, longest, origin);
    model.per_byte =
        read_table(transfer.at("per_byte"), "transfer.per_byte", hosts, slowest_byte, origin);
    root.at("error").get_to(model.error);
    check_figure(model.error, 0, 1e6, "error", origin);
    model.media = read_media(root.at("media"), levels, origin);
    return model;
}

}  // namespace eco
