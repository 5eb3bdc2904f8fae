#include "eco/topology/profile.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "eco/base/error.h"
#include "eco/topology/ring.h"

namespace eco {

using nlohmann::json;

namespace {

[[noreturn]] void refuse(const std::string& origin, const std::string& why) {
    throw Error(Code::bad_input, origin + ": " + why + "; measure again with 'eco measure'");
}

json matrix_json(const Matrix& matrix) {
    json rows = json::array();
    for (int a = 0; a < matrix.size(); ++a) {
        json row = json::array();
        for (int b = 0; b < matrix.size(); ++b) row.push_back(matrix(a, b));
        rows.push_back(std::move(row));
    }
    return rows;
}

Matrix read_matrix(const json& rows, std::size_t hosts, const std::string& origin,
                   const std::string& what, bool positive) {
    if (rows.size() != hosts)
        refuse(origin, what + " has " + std::to_string(rows.size()) + " rows, not one per host");
    Matrix matrix(static_cast<int>(hosts));
    for (std::size_t a = 0; a < hosts; ++a) {
        if (rows[a].size() != hosts) refuse(origin, what + " is not square");
        for (std::size_t b = 0; b < hosts; ++b) {
            const double value = rows[a][b].get<double>();
            const bool sound = std::isfinite(value) && value >= 0 &&
                               (a == b || !positive || (value > 0 && value < 3600));
            if (!sound) {
                std::ostringstream figure;
                figure << value;
                refuse(origin, what + " gives " + figure.str() + " between hosts " +
                                   std::to_string(a) + " and " + std::to_string(b) +
                                   ", which no network takes");
            }
            if (a < b) matrix.set(static_cast<int>(a), static_cast<int>(b), value);
        }
    }
    return matrix;
}

void check_levels(const Profile& profile, const std::string& origin) {
    const std::size_t hosts = profile.hosts.size();
    if (profile.levels.empty()) refuse(origin, "levels is empty");
    for (std::size_t l = 0; l < profile.levels.size(); ++l) {
        const auto& level = profile.levels[l];
        if (level.size() != hosts) refuse(origin, "a level does not name every host once");
        for (const int cluster : level)
            if (cluster < 0 || static_cast<std::size_t>(cluster) >= hosts)
                refuse(origin, "a level holds the cluster id " + std::to_string(cluster));
        if (l == 0) continue;
        std::map<int, int> outer;
        for (std::size_t h = 0; h < hosts; ++h) {
            const auto [found, fresh] = outer.emplace(level[h], profile.levels[l - 1][h]);
            if (!fresh && found->second != profile.levels[l - 1][h])
                refuse(origin, "levels are not nested");
        }
    }
    std::vector<int> sorted = profile.ring;
    std::sort(sorted.begin(), sorted.end());
    bool whole = sorted.size() == hosts;
    for (std::size_t h = 0; whole && h < hosts; ++h) whole = sorted[h] == static_cast<int>(h);
    if (!whole) refuse(origin, "ring does not name every host once");
}

json tuned_json(const Tuned& tuned) {
    return {{"mpi", tuned.mpi},
            {"operation", tuned.operation},
            {"layout", tuned.layout},
            {"bytes", tuned.bytes},
            {"choice", tuned.choice},
            {"native", tuned.native},
            {"eco", tuned.eco},
            {"noise", tuned.noise},
            {"ranks_per_host", tuned.ranks_per_host},
            {"predicted", tuned.predicted}};
}

// Entries that differ in size only stand together, and each choice's text once.
void put_short_tuning(const std::vector<Tuned>& tuning, json& root) {
    json choices = json::array(), groups = json::array();
    std::map<std::string, std::size_t> choice_numbers;
    std::map<json, std::size_t> group_numbers;
    for (const Tuned& tuned : tuning) {
        const json common{tuned.mpi, tuned.operation, tuned.layout, tuned.ranks_per_host,
                          tuned.predicted};
        const auto [group, first] = group_numbers.try_emplace(common, groups.size());
        if (first) {
            groups.push_back(common);
            groups.back().push_back(json::array());
        }
        const auto [choice, fresh] = choice_numbers.try_emplace(tuned.choice, choices.size());
        if (fresh) choices.push_back(tuned.choice);
        groups[group->second].back().push_back({tuned.bytes, choice->second,
                                                static_cast<float>(tuned.native),
                                                static_cast<float>(tuned.eco)});
    }
    root["choices"] = choices;
    root["tuning"] = groups;
}

std::vector<Tuned> read_short_tuning(const json& root) {
    std::vector<Tuned> tuning;
    for (const auto& group : root.at("tuning"))
        for (const auto& row : group.at(5)) {
            Tuned tuned;
            group.at(0).get_to(tuned.mpi);
            group.at(1).get_to(tuned.operation);
            group.at(2).get_to(tuned.layout);
            group.at(3).get_to(tuned.ranks_per_host);
            group.at(4).get_to(tuned.predicted);
            row.at(0).get_to(tuned.bytes);
            root.at("choices").at(row.at(1).get<std::size_t>()).get_to(tuned.choice);
            row.at(2).get_to(tuned.native);
            row.at(3).get_to(tuned.eco);
            tuning.push_back(std::move(tuned));
        }
    return tuning;
}

json common_json(const Profile& profile) {
    return {{"hosts", profile.hosts}, {"levels", profile.levels}, {"ring", profile.ring}};
}

void read_common(const json& root, Profile& profile, const std::string& origin) {
    profile.hosts = root.at("hosts").get<std::vector<std::string>>();
    const std::set<std::string> names(profile.hosts.begin(), profile.hosts.end());
    if (names.size() != profile.hosts.size()) refuse(origin, "a host is named twice");
    if (names.empty()) refuse(origin, "no hosts");
    profile.levels = root.at("levels").get<Levels>();
    profile.ring = root.at("ring").get<std::vector<int>>();
    check_levels(profile, origin);
}

void read_tuning(const json& list, Profile& profile, const std::string& origin) {
    for (const auto& entry : list) {
        Tuned tuned;
        entry.at("mpi").get_to(tuned.mpi);
        entry.at("operation").get_to(tuned.operation);
        entry.at("layout").get_to(tuned.layout);
        entry.at("bytes").get_to(tuned.bytes);
        entry.at("choice").get_to(tuned.choice);
        entry.at("native").get_to(tuned.native);
        entry.at("eco").get_to(tuned.eco);
        tuned.noise = entry.value("noise", 0.0);
        tuned.ranks_per_host = entry.value("ranks_per_host", 1);
        if (tuned.ranks_per_host < 1)
            refuse(origin,
                   "tuning is for " + std::to_string(tuned.ranks_per_host) + " ranks per host");
        tuned.predicted = entry.value("predicted", false);
        profile.tuning.push_back(std::move(tuned));
    }
}

}  // namespace

void derive_topology(Profile& profile) {
    const auto found =
        std::find(profile.sizes.begin(), profile.sizes.end(), profile.partition_bytes);
    if (found == profile.sizes.end())
        throw Error(Code::bad_input, "the size to partition by, " +
                                         std::to_string(profile.partition_bytes) +
                                         " bytes, was not measured");
    const Matrix& cost = profile.minimum[static_cast<std::size_t>(found - profile.sizes.begin())];
    profile.levels = find_levels(cost, profile.tolerance);
    profile.ring = near_ring(cost, profile.levels);
}

Profile parse_profile(const std::string& text, const std::string& origin) {
    json root = json::parse(text, nullptr, false);
    if (root.is_discarded() || !root.is_object()) refuse(origin, "not a whole JSON document");
    if (!root.contains("eco_profile")) refuse(origin, "not an ECO profile");
    if (root["eco_profile"] != profile_version)
        refuse(origin, "is of profile version " + root["eco_profile"].dump() + ", this ECO reads " +
                           std::to_string(profile_version));
    Profile profile;
    try {
        read_common(root, profile, origin);
        read_tuning(root.at("tuning"), profile, origin);
        profile.created = root.at("created");
        profile.mpi_family = root.at("mpi").at("family");
        profile.mpi_version = root.at("mpi").at("version");
        const auto& parameters = root.at("parameters");
        profile.sizes = parameters.at("sizes").get<std::vector<Bytes>>();
        profile.round_trips = parameters.at("round_trips");
        profile.repeats = parameters.at("repeats");
        profile.partition_bytes = parameters.at("partition_bytes");
        profile.tolerance = parameters.at("tolerance");
        const std::size_t hosts = profile.hosts.size();
        if (!std::is_sorted(profile.sizes.begin(), profile.sizes.end()) ||
            std::find(profile.sizes.begin(), profile.sizes.end(), profile.partition_bytes) ==
                profile.sizes.end())
            refuse(origin, "sizes must ascend and hold partition_bytes");
        if (root.at("minimum").size() != profile.sizes.size() ||
            root.at("spread").size() != profile.sizes.size())
            refuse(origin, "needs one matrix per size");
        for (const auto& rows : root["minimum"])
            profile.minimum.push_back(read_matrix(rows, hosts, origin, "minimum", true));
        for (const auto& rows : root["spread"])
            profile.spread.push_back(read_matrix(rows, hosts, origin, "spread", false));
        if (root.contains("model") && !root["model"].is_null())
            profile.model = read_model(root["model"], hosts, profile.levels, origin);
        if (root.contains("rails") && !root["rails"].is_null())
            profile.rails = read_rails(root["rails"], hosts, profile.levels, origin);
    } catch (const json::exception& error) {
        refuse(origin, std::string("misses or mistypes a key (") + error.what() + ")");
    }
    if (!(profile.tolerance >= 0 && profile.tolerance < 10))
        refuse(origin, "tolerance is out of range");
    return profile;
}

Profile read_profile(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        throw Error(Code::bad_input,
                    path + " cannot be read; name a profile that 'eco measure' wrote");
    std::ostringstream text;
    text << file.rdbuf();
    return parse_profile(text.str(), path);
}

std::string to_json(const Profile& profile) {
    json root = common_json(profile);
    root["eco_profile"] = profile_version;
    root["tuning"] = json::array();
    for (const auto& tuned : profile.tuning) root["tuning"].push_back(tuned_json(tuned));
    root["created"] = profile.created;
    root["mpi"] = {{"family", profile.mpi_family}, {"version", profile.mpi_version}};
    root["parameters"] = {{"sizes", profile.sizes},
                          {"round_trips", profile.round_trips},
                          {"repeats", profile.repeats},
                          {"partition_bytes", profile.partition_bytes},
                          {"tolerance", profile.tolerance}};
    root["minimum"] = json::array();
    root["spread"] = json::array();
    for (const auto& matrix : profile.minimum) root["minimum"].push_back(matrix_json(matrix));
    for (const auto& matrix : profile.spread) root["spread"].push_back(matrix_json(matrix));
    if (profile.model) root["model"] = model_json(*profile.model);
    if (profile.rails) root["rails"] = rails_json(*profile.rails);
    return root.dump();
}

json runtime_json(const Profile& profile) {
    json root = common_json(profile);
    put_short_tuning(profile.tuning, root);
    root["passages"] = passages_json(find_passages(profile));
    const bool pairwise = !profile.minimum.empty();
    if (profile.model || pairwise)
        root["model"] =
            coarse_json(profile.model ? *profile.model : derive_model(profile), profile.levels);
    if (profile.rails) root["rails"] = rates_json(*profile.rails);
    return root;
}

Profile parse_runtime(const json& root) {
    Profile profile;
    read_common(root, profile, "profile");
    profile.tuning = read_short_tuning(root);
    if (root.contains("passages")) profile.passages = read_passages(root["passages"]);
    if (root.contains("model")) profile.model = read_coarse(root["model"], profile.levels);
    if (root.contains("rails")) profile.rails = read_rails(root["rails"], 0, {}, "profile");
    return profile;
}

}  // namespace eco
