// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/network.h"

#include <algorithm>
#include <limits>

#include "eco/base/at.h"

namespace eco {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Of so many bytes what may pass at once where each link has so many tokens. A flow that is slower
// than its links is limited by what nothing is known of.
template <typename Tokens>
double pass_at_once(const Network& network, const std::vector<int>& route, double rate,
                    double bytes, const Tokens& tokens) {
    double passed = route.empty() ? 0 : bytes, least = unlimited;
    for (const int link : route) {
        passed = std::min(passed, tokens(network.links[at(link)]));
        least = std::min(least, network.links[at(link)].rate);
    }
    return rate < hardly_limits * least ? 0 : std::max(0.0, passed);
}

}  // namespace

std::vector<int> Network::route(int from, int to) const {
    std::vector<int> path, back;
    if (from == to) return path;
    const auto add = [](std::vector<int>& list, int link) {
        if (link >= 0 && (list.empty() || list.back() != link)) list.push_back(link);
    };
    int a = cluster_of[at(from)], b = cluster_of[at(to)];
    add(path, port_out[at(from)]);
    add(back, port_in[at(to)]);
    add(path, clusters[at(a)].bus);
    add(back, clusters[at(b)].bus);
    while (a != b) {
        const bool leave = clusters[at(a)].depth >= clusters[at(b)].depth;
        int& inner = leave ? a : b;
        auto& list = leave ? path : back;
        add(list, leave ? clusters[at(inner)].uplink_out : clusters[at(inner)].uplink_in);
        inner = clusters[at(inner)].parent;
        add(list, clusters[at(inner)].bus);
    }
    for (auto link = back.rbegin(); link != back.rend(); ++link) add(path, *link);
    return path;
}

double Network::rate(int from, int to, const std::vector<int>& route) const {
    const double own = cap[row(from)][row(to)];
    return std::min(own > 0 ? own : unlimited, links_rate(route));
}

double Network::links_rate(const std::vector<int>& route) const {
    double least = unlimited;
    for (const int link : route) least = std::min(least, links[at(link)].rate);
    return least;
}

Seconds Network::delay(int from, int to, const std::vector<int>& route, Bytes bytes) const {
    if (from == to) return local.fixed;
    const double first = wire(std::min(bytes, frame.payload));
    double stored = 0;
    const Link* slowest = nullptr;
    for (const int link : route) {
        const Link& here = links[at(link)];
        stored += first / here.rate;
        if (!slowest || here.rate < slowest->rate) slowest = &here;
    }
    const double once = slowest ? first / slowest->rate : 0;
    double sum = forwarding == Forwarding::store ? stored : once;
    if (!slowest || slowest->burst <= 0) sum -= once;
    return fixed[row(from)][row(to)] + sum;
}

double Network::passes(const std::vector<int>& route, double rate, double bytes) const {
    return pass_at_once(*this, route, rate, bytes, [](const Link& link) { return link.burst; });
}

double Network::passes_to_and_fro(int a, int b, Bytes bytes, Seconds beyond) const {
    const auto links_on_way = route(a, b);
    const double fastest = rate(a, b, links_on_way);
    const double rests = fastest * (beyond + delay(a, b, links_on_way, bytes));
    return pass_at_once(*this, links_on_way, fastest, wire(bytes), [rests](const Link& link) {
        return link.kind == Link::Kind::bus ? std::min(link.burst, rests) : link.burst;
    });
}

Seconds Network::alone(int from, int to, Bytes bytes) const {
    const auto path = route(from, to);
    if (from == to)
        return send[at(from)].of(bytes) + local.per_byte * static_cast<double>(bytes) +
               local.fixed + receive[at(to)].of(bytes);
    const double passed = passes(path, rate(from, to, path), wire(bytes));
    return send[at(from)].of(bytes) + (wire(bytes) - passed) / rate(from, to, path) +
           delay(from, to, path, bytes) + receive[at(to)].of(bytes);
}

Seconds Network::longest_gap(int from, int to) const {
    constexpr double part_of_way = 0.95;
    return part_of_way * (alone(from, to, 1) - send[at(from)].of(1) - receive[at(to)].of(1));
}

std::string Network::name(int link) const {
    const Link& named = links[at(link)];
    const bool out = named.kind == Link::Kind::port_out || named.kind == Link::Kind::uplink_out;
    const std::string way = out ? ", out" : ", in";
    if (named.host >= 0) return "port of " + hosts[at(named.host)] + way;
    const auto& members = clusters[at(named.cluster)].hosts;
    std::string text = hosts[at(members.front())];
    if (members.size() > 1) text += (members.size() > 2 ? " … " : ", ") + hosts[at(members.back())];
    if (named.kind == Link::Kind::bus) return "bus of " + text;
    return "uplink of " + text + way;
}

}  // namespace eco
