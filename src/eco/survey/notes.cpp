// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/notes.h"

#include <nlohmann/json.hpp>

#include "eco/topology/profile_reader.h"

namespace eco {

using nlohmann::json;

namespace {

// Per size the pairs, one number after the other.
json surveyed_json(const Surveyed& surveyed) {
    json lists = json::array();
    for (const auto& pairs : surveyed.measured) {
        json& list = lists.emplace_back(json::array());
        for (const auto& [a, b] : pairs) {
            list.push_back(a);
            list.push_back(b);
        }
    }
    return {
        {"checks", surveyed.checks}, {"not_compared", surveyed.not_compared}, {"measured", lists}};
}

Surveyed read_surveyed(const json& root, std::size_t sizes, std::size_t hosts,
                       const ProfileReader& reader) {
    Surveyed surveyed;
    surveyed.checks = reader.get<int>(root, "checks");
    surveyed.not_compared = reader.get<double>(root, "not_compared");
    if (surveyed.checks < 0) reader.refuse("checks is negative");
    reader.check_figure(surveyed.not_compared, 0, 1, "not_compared");
    const json& lists = reader.list(root, "measured");
    if (lists.size() != sizes) reader.refuse("measured needs one list of pairs per size");
    for (const json& list : lists) {
        const auto figures = reader.take<std::vector<int>>(list, "measured");
        auto& pairs = surveyed.measured.emplace_back();
        if (figures.size() % 2 != 0) reader.refuse("measured has an incomplete pair");
        for (std::size_t i = 0; i < figures.size(); i += 2) {
            const int a = figures[i], b = figures[i + 1];
            if (a < 0 || b <= a || static_cast<std::size_t>(b) >= hosts ||
                (i > 0 && pairs.back() >= std::pair(a, b)))
                reader.refuse("measured has an invalid pair or is not ascending");
            pairs.emplace_back(a, b);
        }
    }
    return surveyed;
}

Odd read_odd(const json& entry, std::size_t hosts, const ProfileReader& reader) {
    Odd odd;
    odd.hosts = reader.get<std::vector<int>>(entry, "hosts");
    odd.what = reader.get<std::string>(entry, "what");
    odd.factor = reader.get<double>(entry, "factor");
    const std::size_t wanted = odd.what == "slow" ? 1 : odd.what == "asymmetric" ? 2 : 0;
    bool known = wanted > 0 && odd.hosts.size() == wanted;
    for (const int host : odd.hosts)
        known = known && host >= 0 && static_cast<std::size_t>(host) < hosts;
    if (!known) reader.refuse("odd has an entry that is neither a slow host nor a link");
    reader.check_figure(odd.factor, 1, 1e6, "the factor of odd");
    return odd;
}

}  // namespace

void put_notes(const Notes& notes, json& document) {
    if (notes.surveyed) document["survey"] = surveyed_json(*notes.surveyed);
    for (const Odd& odd : notes.odd)
        document["odd"].push_back(
            {{"hosts", odd.hosts}, {"what", odd.what}, {"factor", odd.factor}});
    if (notes.subnets_not_tried > 0) document["subnets_not_tried"] = notes.subnets_not_tried;
    for (const OthersTraffic& each : notes.others_traffic)
        document["others_traffic"].push_back(
            {{"host", each.host}, {"sent", each.sent}, {"received", each.received}});
    if (!notes.interfaces.empty()) document["interfaces"] = notes.interfaces;
}

Notes read_notes(const std::string& text, const Profile& profile, const std::string& origin) {
    const json root = json::parse(text);
    const std::size_t hosts = profile.hosts.size();
    Notes notes;
    if (root.contains("survey") && !root["survey"].is_null()) {
        const ProfileReader reader(origin, "survey");
        notes.surveyed = read_surveyed(ProfileReader(origin).object(root, "survey"),
                                       profile.sizes.size(), hosts, reader);
    }
    if (root.contains("odd")) {
        const ProfileReader reader(origin);
        for (const json& entry : reader.list(root, "odd"))
            notes.odd.push_back(read_odd(entry, hosts, reader));
    }
    if (root.contains("subnets_not_tried")) {
        const ProfileReader reader(origin);
        notes.subnets_not_tried = reader.get<int>(root, "subnets_not_tried");
        reader.check_figure(notes.subnets_not_tried, 0, static_cast<double>(hosts) + 1,
                            "subnets_not_tried");
    }
    if (root.contains("others_traffic")) {
        const ProfileReader reader(origin);
        for (const json& entry : reader.list(root, "others_traffic")) {
            OthersTraffic each{reader.get<int>(entry, "host"), reader.get<double>(entry, "sent"),
                               reader.get<double>(entry, "received")};
            reader.check_figure(each.host, 0, static_cast<double>(hosts),
                                "the host of others_traffic");
            reader.check_figure(each.sent, 0, 1e15, "others_traffic");
            reader.check_figure(each.received, 0, 1e15, "others_traffic");
            notes.others_traffic.push_back(each);
        }
    }
    if (root.contains("interfaces"))
        notes.interfaces = ProfileReader(origin).get<std::vector<std::string>>(root, "interfaces");
    return notes;
}

}  // namespace eco
