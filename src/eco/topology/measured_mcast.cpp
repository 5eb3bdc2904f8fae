// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/measured_mcast.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "eco/base/at.h"
#include "eco/topology/profile_reader.h"

namespace eco {

using nlohmann::json;

// What fits a datagram of IP, and what is worth sending.
static constexpr Bytes least_payload = 256, most_payload = 65000;
// No processor is so slow.
static constexpr Seconds longest_datagram = 0.1;

json mcast_json(const MeasuredMcast& mcast) {
    json interfaces = json::array(), areas = json::array();
    for (const auto& name : mcast.interfaces)
        interfaces.push_back(name.empty() ? json() : json(name));
    for (const McastArea& area : mcast.areas) {
        areas.push_back({{"level", area.level},
                         {"cluster", area.cluster},
                         {"rate", area.rate},
                         {"loss", area.loss}});
        if (!area.tried) areas.back()["tried"] = false;
        if (area.send > 0) areas.back()["send"] = area.send;
        if (area.receive > 0) areas.back()["receive"] = area.receive;
        if (area.flooded) areas.back()["flooded"] = *area.flooded;
    }
    json root{{"interfaces", interfaces}, {"payload", mcast.payload}, {"areas", areas}};
    if (mcast.family == IpFamily::ipv6) root["family"] = "ipv6";
    return root;
}

// Whether the levels have it.
static bool is_known(const McastArea& area, const Levels& levels) {
    if (area.level == -1) return area.cluster == 0;
    if (area.level < 0 || at(area.level) >= levels.size()) return false;
    const auto& level = levels[at(area.level)];
    return std::find(level.begin(), level.end(), area.cluster) != level.end();
}

MeasuredMcast read_mcast(const json& root, std::size_t hosts, const Levels& levels,
                         const std::string& origin) {
    const ProfileReader reader(origin, "mcast");
    MeasuredMcast found;
    for (const json& name : reader.list(root, "interfaces"))
        found.interfaces.push_back(name.is_null() ? ""
                                                  : reader.take<std::string>(name, "interfaces"));
    if (found.interfaces.size() != hosts) reader.refuse("interfaces needs one entry per host");
    found.payload = reader.get<Bytes>(root, "payload");
    const auto family = reader.get<std::string>(root, "family", "ipv4");
    if (family != "ipv4" && family != "ipv6") reader.refuse("family is neither ipv4 nor ipv6");
    found.family = family == "ipv6" ? IpFamily::ipv6 : IpFamily::ipv4;
    for (const json& entry : reader.list(root, "areas")) {
        McastArea& area = found.areas.emplace_back();
        area.level = reader.get<int>(entry, "level");
        area.cluster = reader.get<int>(entry, "cluster");
        area.rate = reader.get<double>(entry, "rate");
        area.loss = reader.get<double>(entry, "loss");
        area.tried = reader.get<bool>(entry, "tried", true);
        area.send = reader.get<double>(entry, "send", 0.0);
        area.receive = reader.get<double>(entry, "receive", 0.0);
        if (entry.contains("flooded")) area.flooded = reader.get<bool>(entry, "flooded");
        reader.check_figure(area.send, 0, longest_datagram, "send");
        reader.check_figure(area.receive, 0, longest_datagram, "receive");
        if (!is_known(area, levels)) reader.refuse("an area is of no cluster");
        if (!(area.rate > 0) || area.rate > most_rate) reader.refuse("a rate is out of range");
        if (!(area.loss >= 0) || area.loss > 1) reader.refuse("a loss is out of range");
    }
    if (!found.areas.empty() && (found.payload < least_payload || found.payload > most_payload))
        reader.refuse("payload is out of range");
    return found;
}

}  // namespace eco
