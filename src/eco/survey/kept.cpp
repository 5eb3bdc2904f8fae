// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/kept.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eco/topology/profile_reader.h"

namespace eco {

using nlohmann::json;

namespace {

constexpr std::size_t figures_per_pair = 6;
constexpr int enough_samples = 1000;

const ProfileReader& partial_reader() {
    static const auto& reader = *new ProfileReader("the partial measurement");
    return reader;
}

KeptPair read_pair(const json& list, std::size_t from, std::size_t hosts,
                   const ProfileReader& reader) {
    const auto whole = [&](std::size_t i) { return reader.take<int>(list[from + i], "pairs"); };
    const auto figure = [&](std::size_t i) { return reader.take<double>(list[from + i], "pairs"); };
    const KeptPair pair{whole(0), whole(1), figure(2), figure(3), whole(4), whole(5)};
    if (pair.a < 0 || pair.b <= pair.a || static_cast<std::size_t>(pair.b) >= hosts)
        reader.refuse("pairs names hosts " + std::to_string(pair.a) + " and " +
                      std::to_string(pair.b) + ", which are not a pair");
    if (!(pair.least > 0 && pair.least <= pair.median && pair.median < longest_message))
        reader.refuse_between("pairs", pair.least, static_cast<std::size_t>(pair.a),
                              static_cast<std::size_t>(pair.b));
    if (pair.samples < 1 || pair.visits < 1) reader.refuse("pairs has a pair that was never timed");
    return pair;
}

}  // namespace

Kept kept_of(const Profile& profile) {
    return {profile.mpi_family + " " + profile.mpi_version,
            profile.hosts,
            profile.sizes,
            profile.partition_bytes,
            profile.tolerance,
            std::vector<std::vector<KeptPair>>(profile.sizes.size())};
}

KeptPair kept_pair(const Timings::Entry& entry) {
    return {entry.a,
            entry.b,
            entry.least(),
            entry.samples[entry.samples.size() / 2],
            static_cast<int>(entry.samples.size()),
            entry.visits};
}

json kept_json(const Kept& kept) {
    json lists = json::array();
    for (const auto& pairs : kept.pairs) {
        json& list = lists.emplace_back(json::array());
        for (const KeptPair& pair : pairs)
            for (const json& figure : {json(pair.a), json(pair.b), json(pair.least),
                                       json(pair.median), json(pair.samples), json(pair.visits)})
                list.push_back(figure);
    }
    return {{"eco_partial", partial_version},
            {"mpi", kept.mpi},
            {"hosts", kept.hosts},
            {"sizes", kept.sizes},
            {"partition_bytes", kept.partition_bytes},
            {"tolerance", kept.tolerance},
            {"pairs", lists}};
}

Kept read_kept(const std::string& text) {
    const ProfileReader& reader = partial_reader();
    const json root = json::parse(text, nullptr, false);
    if (root.is_discarded()) reader.refuse("not a complete JSON document");
    if (reader.get<int>(root, "eco_partial") != partial_version)
        reader.refuse("is of another version");
    Kept kept;
    kept.mpi = reader.get<std::string>(root, "mpi");
    kept.hosts = reader.get<std::vector<std::string>>(root, "hosts");
    if (std::set(kept.hosts.begin(), kept.hosts.end()).size() != kept.hosts.size())
        reader.refuse("a host is named twice");
    kept.sizes = reader.get<std::vector<Bytes>>(root, "sizes");
    kept.partition_bytes = reader.get<Bytes>(root, "partition_bytes");
    kept.tolerance = reader.get<double>(root, "tolerance");
    const json& lists = reader.list(root, "pairs");
    if (lists.size() != kept.sizes.size()) reader.refuse("pairs needs one list per size");
    for (const json& list : lists) {
        if (!list.is_array()) reader.refuse("pairs has the wrong type");
        if (list.size() % figures_per_pair != 0) reader.refuse("pairs has an incomplete pair");
        auto& pairs = kept.pairs.emplace_back();
        std::set<HostPair> named;
        for (std::size_t i = 0; i < list.size(); i += figures_per_pair) {
            pairs.push_back(read_pair(list, i, kept.hosts.size(), reader));
            if (!named.emplace(pairs.back().a, pairs.back().b).second)
                reader.refuse("pairs names two hosts twice");
        }
    }
    return kept;
}

std::vector<HostPair> take_up(const Kept& kept, const Profile& profile,
                              std::vector<Timings>& timings) {
    const Kept wanted = kept_of(profile);
    const ProfileReader& reader = partial_reader();
    if (kept.mpi != wanted.mpi) reader.refuse("is of another MPI library");
    if (kept.sizes != wanted.sizes || kept.partition_bytes != wanted.partition_bytes)
        reader.refuse("is of other message sizes");
    if (kept.tolerance != wanted.tolerance) reader.refuse("is of another tolerance");
    std::map<std::string, int> index;
    for (std::size_t host = 0; host < profile.hosts.size(); ++host)
        index.emplace(profile.hosts[host], static_cast<int>(host));
    std::set<HostPair> taken;
    for (std::size_t size = 0; size < timings.size(); ++size)
        for (const KeptPair& pair : kept.pairs[size]) {
            const auto a = index.find(kept.hosts[static_cast<std::size_t>(pair.a)]),
                       b = index.find(kept.hosts[static_cast<std::size_t>(pair.b)]);
            if (a == index.end() || b == index.end()) continue;
            if (timings[size].has(a->second, b->second)) continue;
            const HostPair found = std::minmax(a->second, b->second);
            timings[size].restore(found, pair.least, pair.median,
                                  std::min(pair.samples, enough_samples), pair.visits);
            taken.insert(found);
        }
    return {taken.begin(), taken.end()};
}

}  // namespace eco
