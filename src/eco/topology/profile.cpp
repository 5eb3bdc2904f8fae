// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/profile.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eco/base/error.h"
#include "eco/base/median.h"
#include "eco/base/text.h"
#include "eco/base/written.h"
#include "eco/topology/block_matrix.h"
#include "eco/topology/profile_reader.h"
#include "eco/topology/ring.h"
#include "eco/topology/sure.h"
#include "eco/topology/transfer.h"
#include "eco/topology/unclear.h"

namespace eco {

using nlohmann::json;

namespace {

std::vector<Matrix> read_matrices(const json& root, const char* key, const Profile& profile,
                                  bool positive, const ProfileReader& reader) {
    const std::size_t hosts = profile.hosts.size();
    const json& list = reader.list(root, key);
    if (list.size() != profile.sizes.size())
        reader.refuse(std::string(key) + " needs one matrix per size");
    std::vector<Matrix> matrices;
    for (const json& each : list) {
        const double most = positive ? longest_message : std::numeric_limits<double>::infinity();
        const Table table = read_matrix(each, key, profile.levels.back(), most, true, reader);
        Matrix& matrix = matrices.emplace_back(static_cast<int>(hosts));
        for (std::size_t a = 0; a < hosts; ++a)
            for (std::size_t b = 0; b < hosts; ++b) {
                if (positive && a != b && table[a][b] <= 0)
                    reader.refuse_between(key, table[a][b], a, b);
                if (a > b && table[a][b] != table[b][a])
                    reader.refuse(std::string(key) + " is not symmetric between hosts " +
                                  std::to_string(b) + " and " + std::to_string(a));
                if (a < b) matrix.set(static_cast<int>(a), static_cast<int>(b), table[a][b]);
            }
    }
    return matrices;
}

void check_levels(const Profile& profile, const ProfileReader& reader) {
    const std::size_t hosts = profile.hosts.size();
    if (profile.levels.empty()) reader.refuse("levels is empty");
    for (std::size_t l = 0; l < profile.levels.size(); ++l) {
        const auto& level = profile.levels[l];
        if (level.size() != hosts) reader.refuse("a level does not name every host once");
        for (const int cluster : level)
            if (cluster < 0 || static_cast<std::size_t>(cluster) >= hosts)
                reader.refuse("a level holds the cluster id " + std::to_string(cluster));
        if (l == 0) continue;
        std::map<int, int> outer;
        for (std::size_t h = 0; h < hosts; ++h) {
            const auto [found, fresh] = outer.emplace(level[h], profile.levels[l - 1][h]);
            if (!fresh && found->second != profile.levels[l - 1][h])
                reader.refuse("levels are not nested");
        }
    }
    std::vector<int> sorted = profile.ring;
    std::sort(sorted.begin(), sorted.end());
    bool whole = sorted.size() == hosts;
    for (std::size_t h = 0; whole && h < hosts; ++h) whole = sorted[h] == static_cast<int>(h);
    if (!whole) reader.refuse("ring does not name every host once");
}

json tuned_json(const Tuned& tuned) {
    json entry{{"mpi", tuned.mpi},
               {"operation", tuned.operation},
               {"layout", tuned.layout},
               {"bytes", tuned.bytes},
               {"choice", tuned.choice},
               {"native", tuned.native},
               {"eco", tuned.eco},
               {"noise", tuned.noise},
               {"ranks_per_host", tuned.ranks_per_host},
               {"predicted", tuned.predicted}};
    if (tuned.derived) entry["derived"] = true;
    if (!tuned.structure.empty()) entry["structure"] = tuned.structure;
    return entry;
}

json common_json(const Profile& profile) {
    return {{"hosts", profile.hosts}, {"levels", profile.levels}, {"ring", profile.ring}};
}

void read_common(const json& root, Profile& profile, const ProfileReader& reader) {
    profile.hosts = reader.get<std::vector<std::string>>(root, "hosts");
    const std::set<std::string> names(profile.hosts.begin(), profile.hosts.end());
    if (names.size() != profile.hosts.size()) reader.refuse("a host is named twice");
    if (names.empty()) reader.refuse("no hosts");
    profile.levels = reader.get<Levels>(root, "levels");
    profile.ring = reader.get<std::vector<int>>(root, "ring");
    check_levels(profile, reader);
}

Tuned read_tuned(const json& entry, const ProfileReader& reader) {
    Tuned tuned;
    tuned.mpi = reader.get<std::string>(entry, "mpi");
    tuned.operation = reader.get<std::string>(entry, "operation");
    tuned.layout = reader.get<std::string>(entry, "layout");
    tuned.bytes = reader.get<Bytes>(entry, "bytes");
    tuned.choice = reader.get<std::string>(entry, "choice");
    tuned.native = reader.get<Seconds>(entry, "native");
    tuned.eco = reader.get<Seconds>(entry, "eco");
    tuned.noise = reader.get<Seconds>(entry, "noise", 0);
    tuned.ranks_per_host = reader.get<int>(entry, "ranks_per_host", 1);
    tuned.predicted = reader.get<bool>(entry, "predicted", false);
    tuned.derived = reader.get<bool>(entry, "derived", false);
    tuned.structure = reader.get<std::string>(entry, "structure", "");
    if (tuned.layout != "near" && tuned.layout != "scattered")
        reader.refuse("tuning is for the layout '" + tuned.layout +
                      "', neither near nor scattered");
    if (tuned.bytes < -1)
        reader.refuse("tuning is for messages of " + std::to_string(tuned.bytes) + " bytes");
    if (tuned.native < 0 || tuned.eco < 0 || tuned.noise < 0)
        reader.refuse("tuning has an invalid time");
    if (tuned.ranks_per_host < 1)
        reader.refuse("tuning is for " + std::to_string(tuned.ranks_per_host) + " ranks per host");
    return tuned;
}

void read_parameters(const json& parameters, Profile& profile, const ProfileReader& reader) {
    profile.sizes = reader.get<std::vector<Bytes>>(parameters, "sizes");
    profile.round_trips = reader.get<int>(parameters, "round_trips");
    profile.repeats = reader.get<int>(parameters, "repeats");
    profile.partition_bytes = reader.get<Bytes>(parameters, "partition_bytes");
    profile.tolerance = reader.get<double>(parameters, "tolerance");
    const auto& sizes = profile.sizes;
    const bool rises =
        std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>()) == sizes.end();
    if (sizes.empty() || sizes.front() < 0 || !rises)
        reader.refuse("sizes are not ascending message sizes");
    if (std::find(sizes.begin(), sizes.end(), profile.partition_bytes) == sizes.end())
        reader.refuse("partition_bytes, " + std::to_string(profile.partition_bytes) +
                      ", is not among the sizes");
    if (!(profile.tolerance >= 0 && profile.tolerance < 10))
        reader.refuse("tolerance is out of range");
}

// If hosts are many, a transfer that follows from times and overheads is left out: no two hosts'
// need be alike in it.
Model without_what_follows(const Profile& profile) {
    Model model = *profile.model;
    if (profile.hosts.size() < least_hosts_in_blocks) return model;
    find_transfer(model, profile.sizes, profile.minimum);
    if (model == *profile.model)
        model.fixed = model.per_byte = {};
    else
        model = *profile.model;
    return model;
}

json parse_document(const std::string& text, const ProfileReader& reader) {
    json root;
    try {
        root = json::parse(text);
    } catch (const json::out_of_range&) {
        reader.refuse("has a number that is out of range");
    } catch (const json::parse_error&) {
        reader.refuse("not a complete JSON document");
    }
    // The library takes a zero byte for the end, other readers do not.
    if (text.find('\0') != std::string::npos) reader.refuse("has zero bytes");
    return root;
}

}  // namespace

std::size_t partition_size(const Profile& profile) {
    const auto found =
        std::find(profile.sizes.begin(), profile.sizes.end(), profile.partition_bytes);
    return static_cast<std::size_t>(found - profile.sizes.begin());
}

void derive_topology(Profile& profile, int visits, Seconds look) {
    const std::size_t size = partition_size(profile);
    if (size == profile.sizes.size())
        throw Error(Code::bad_input, "the size to partition by, " +
                                         std::to_string(profile.partition_bytes) +
                                         " bytes, was not measured");
    const Matrix &cost = profile.minimum[size], &spread = profile.spread[size];
    Matrix uncertainties(cost.size());
    const int samples = profile.round_trips * visits;
    // Few samples may agree by chance.
    std::vector<double> spreads{0};
    for (int a = 0; a < cost.size(); ++a)
        for (int b = a + 1; b < cost.size(); ++b) spreads.push_back(spread(a, b));
    const double usual = upper_median(std::move(spreads));
    for (int a = 0; a < cost.size(); ++a)
        for (int b = a + 1; b < cost.size(); ++b)
            uncertainties.set(
                a, b, look + uncertainty(cost(a, b), std::max(usual, spread(a, b)), samples));
    profile.levels =
        sure_levels(find_levels(cost, profile.tolerance), cost, uncertainties, profile.tolerance);
    profile.ring = near_ring(cost, profile.levels);
}

Profile parse_profile(const std::string& text, const std::string& origin) {
    const ProfileReader reader(origin);
    const json root = parse_document(text, reader);
    if (!root.is_object() || !root.contains("eco_profile")) reader.refuse("not an ECO profile");
    if (root["eco_profile"] != profile_version)
        reader.refuse("is of profile version " + written(root["eco_profile"]) +
                      ", this ECO reads " + std::to_string(profile_version));
    Profile profile;
    read_common(root, profile, reader);
    read_parameters(reader.object(root, "parameters"), profile, reader);
    const json& mpi = reader.object(root, "mpi");
    profile.mpi_family = reader.get<std::string>(mpi, "family");
    profile.mpi_version = reader.get<std::string>(mpi, "version");
    profile.created = reader.get<std::string>(root, "created");
    for (const json& entry : reader.list(root, "tuning"))
        profile.tuning.push_back(read_tuned(entry, reader));
    const std::size_t hosts = profile.hosts.size();
    profile.minimum = read_matrices(root, "minimum", profile, true, reader);
    profile.spread = read_matrices(root, "spread", profile, false, reader);
    if (root.contains("model") && !root["model"].is_null()) {
        profile.model = read_model(reader.object(root, "model"), hosts, profile.levels, origin);
        if (!profile.model->knows_transfers())
            find_transfer(*profile.model, profile.sizes, profile.minimum);
    }
    if (root.contains("rails") && !root["rails"].is_null())
        profile.rails = read_rails(reader.object(root, "rails"), hosts, profile.levels, origin);
    if (root.contains("mcast") && !root["mcast"].is_null())
        profile.mcast = read_mcast(reader.object(root, "mcast"), hosts, profile.levels, origin);
    return profile;
}

Profile read_profile(const std::string& path) {
    const auto text = read_text(path);
    if (!text)
        throw Error(Code::bad_input,
                    path + " cannot be read; name a profile that 'eco measure' wrote");
    return parse_profile(*text, path);
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
    const auto& levels = profile.levels;
    for (const auto& matrix : profile.minimum)
        root["minimum"].push_back(matrix_json(matrix, levels.back()));
    for (const auto& matrix : profile.spread)
        root["spread"].push_back(matrix_json(matrix, levels.back()));
    if (profile.model) root["model"] = model_json(without_what_follows(profile), levels);
    if (profile.rails) root["rails"] = rails_json(*profile.rails, levels);
    if (profile.mcast) root["mcast"] = mcast_json(*profile.mcast);
    return root.dump();
}

}  // namespace eco
