// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "eco/base/error.h"
#include "eco/bounds/bound.h"
#include "eco/planners/choice_text.h"
#include "eco/python/bind.h"
#include "eco/selection/candidates.h"
#include "eco/selection/choose.h"
#include "eco/selection/variants.h"
#include "eco/simulate/hosts_predictor.h"
#include "eco/simulate/predict.h"
#include "eco/simulate/simulate.h"
#include "eco/simulate/timeline_json.h"
#include "eco/topology/build_network.h"
#include "eco/topology/placement.h"
#include "eco/topology/profile.h"

namespace eco {

namespace nb = nanobind;

namespace {

using HostOf = std::vector<int>;

// What a call asks for, checked: the `eco` command's words come from people.
Request ask(const Network& network, const HostOf& host_of, const Hierarchy& hierarchy,
            const std::string& operation, Rank root) {
    const int hosts = static_cast<int>(network.hosts.size());
    const bool known = std::all_of(host_of.begin(), host_of.end(),
                                   [hosts](int host) { return host >= 0 && host < hosts; });
    if (host_of.empty() || !known || static_cast<std::size_t>(hierarchy.ranks()) != host_of.size())
        throw Error(Code::usage, "host_of must give every rank one of the network's hosts");
    if (root < 0 || root >= hierarchy.ranks())
        throw Error(Code::usage, "root " + std::to_string(root) + " is not a rank; there are " +
                                     std::to_string(hierarchy.ranks()));
    return {parse_operation(operation), &hierarchy, root, true};
}

Choice choose_one(const std::string& text, const Network& network, const Request& request) {
    const Choice choice = parse_choice(text);
    if (choice.rails > network.rails())
        throw Error(Code::usage, text + " uses " + std::to_string(choice.rails) +
                                     " rails, and these hosts have " +
                                     std::to_string(network.rails()) + "; leave out rails=");
    if (!can_simulate(choice))
        throw Error(Code::usage, text +
                                     ": native collectives are the MPI library's; ECO does not "
                                     "know their schedules");
    if (!supports(choice, request))
        throw Error(Code::usage, text + " cannot do " +
                                     std::string(traits(request.operation).name) +
                                     "; 'eco plan' lists the candidates");
    return choice;
}

std::string simulate_json(const Network& network, const HostOf& host_of, const Hierarchy& hierarchy,
                          const std::string& operation, Rank root, Bytes bytes,
                          const std::string& choice) {
    const Request request = ask(network, host_of, hierarchy, operation, root);
    const Choice chosen = choose_one(choice, network, request);
    std::vector<Program> programs;
    const Network& wires = network.over(chosen.rails);
    const Timeline timeline = simulate(network, host_of, chosen, request, bytes, {}, &programs);
    return timeline_json(timeline, wires, host_of, programs);
}

Seconds predict(const Network& network, const HostOf& host_of, const Hierarchy& hierarchy,
                const std::string& operation, Rank root, Bytes bytes, const std::string& choice) {
    const Request request = ask(network, host_of, hierarchy, operation, root);
    return simulate(network, host_of, choose_one(choice, network, request), request, bytes).time;
}

std::vector<std::string> forecast_texts(const Network& network, const HostOf& host_of,
                                        const Hierarchy& hierarchy, const std::string& operation,
                                        Rank root, Bytes bytes, std::size_t most) {
    const Request request = ask(network, host_of, hierarchy, operation, root);
    std::vector<std::string> texts;
    for (const Predicted& each : forecast(network, host_of, request, bytes, {root}).choices)
        if (texts.size() < most) texts.push_back(to_text(each.choice));
    return texts;
}

std::vector<std::string> candidate_texts(const Hierarchy& hierarchy, const std::string& operation,
                                         Bytes bytes) {
    std::vector<std::string> texts;
    for (const Choice& choice : candidates({parse_operation(operation), &hierarchy}, bytes))
        if (can_simulate(choice)) texts.push_back(to_text(choice));
    return texts;
}

// What a communicator of these ranks would run with the library ("openmpi 5.0.11") that was
// measured with, unless settings say otherwise.
Explained explained(const Profile& profile, const Hierarchy& hierarchy,
                    const std::string& operation, Rank root, Bytes bytes,
                    const std::string& library) {
    Settings settings;
    const Request request{parse_operation(operation), &hierarchy, root, true};
    const Bytes known = traits(request.operation).size_known ? bytes : -1;
    std::optional<Network> network;
    const HostsPredictor predictor(
        [&]() -> const Network* {
            if (!profile.model || !profile.model->knows_transfers()) return nullptr;
            if (!network) network = build_network(profile);
            return &*network;
        },
        profile);
    return Chooser(profile, settings, library, &predictor).explain(request, known);
}

const char* rests_on(Explained::Rests rests) {
    switch (rests) {
        case Explained::Rests::setting:
            return "setting";
        case Explained::Rests::too_long:
            return "too long";
        case Explained::Rests::inside:
            return "inside one subnet";
        case Explained::Rests::timed:
            return "timed";
        case Explained::Rests::predicted:
            return "predicted";
        case Explained::Rests::shape:
            return "shape";
        case Explained::Rests::nothing:
            break;
    }
    return "nothing";
}

void check_hosts(const Network& network, int from, int to) {
    const int hosts = static_cast<int>(network.hosts.size());
    if (from < 0 || to < 0 || from >= hosts || to >= hosts)
        throw Error(Code::usage, "there is no such host in the network");
}

// Of each vertex of the graph, the rank that takes its place; edges: from, to, weight.
std::vector<Rank> placed(const Network& network, const Hierarchy& hierarchy, const HostOf& host_of,
                         const std::vector<std::tuple<int, int, double>>& edges) {
    ask(network, host_of, hierarchy, "barrier", 0);
    Graph graph(host_of.size());
    for (const auto& [from, to, weight] : edges) {
        if (std::min(from, to) < 0 || static_cast<std::size_t>(std::max(from, to)) >= graph.size())
            throw Error(Code::usage, "an edge names a rank that there is not");
        graph[static_cast<std::size_t>(from)].push_back({to, weight});
    }
    return place(graph, hierarchy, LinksBetween(network, host_of));
}

bool can_do(const Hierarchy& hierarchy, const std::string& operation, const std::string& choice) {
    return supports(parse_choice(choice), {parse_operation(operation), &hierarchy});
}

// Per rank its parent, -1 for the root, and its children in the order of sending.
std::pair<std::vector<Rank>, std::vector<std::vector<Rank>>> tree_of(const Hierarchy& hierarchy,
                                                                     const std::string& operation,
                                                                     const std::string& text,
                                                                     Rank root) {
    const Choice choice = parse_choice(text);
    if (choice.family() != Family::tree || root < 0 || root >= hierarchy.ranks()) return {};
    const auto& asked = traits(parse_operation(operation));
    const Hierarchy seen = seen_by(choice, hierarchy);
    LeaderRotation first;  // of the first segment, where each has a tree of its own
    if (choice.rotates() && asked.blocks == Blocks::parts)
        first = {0, segments_of(choice), choice.rotate() == Rotate::all, 0};
    Tree tree = build_tree(seen, asked.rooted() ? root : seen.top.first(), choice.top(),
                           choice.inner(), first, choice.below());
    return {std::move(tree.parent), std::move(tree.children)};
}

}  // namespace

void bind_simulate(nb::module_& module) {
    nb::class_<Network>(module, "Network")
        .def_ro("hosts", &Network::hosts)
        .def_ro("error", &Network::error)
        .def_ro("assumed", &Network::assumed)
        .def_rw("ordered", &Network::ordered)
        .def_rw("first_flight", &Network::first_flight)
        .def("alone",
             [](const Network& network, int from, int to, Bytes bytes) {
                 check_hosts(network, from, to);
                 return network.alone(from, to, bytes);
             })
        .def(
            "rate",
            [](const Network& network, int from, int to) {
                check_hosts(network, from, to);
                return network.rate(from, to, network.route(from, to));
            },
            nb::arg("from_host"), nb::arg("to_host"),
            "Bytes on the wire per second that one connection between two hosts carries.")
        .def(
            "links_rate",
            [](const Network& network, int from, int to) {
                check_hosts(network, from, to);
                return network.links_rate(network.route(from, to));
            },
            nb::arg("from_host"), nb::arg("to_host"),
            "The same of the links on the way, whatever one connection reaches.");
    module.def(
        "on_wire", [](double rate) { return rate * on_wire; }, nb::arg("rate"),
        "Bytes on the wire per second of a link that carries so many of messages.");
    module.def("build_network", &build_network, nb::arg("profile"),
               "Overheads, delays and the links that flows share, from a profile.");
    module.def("simulate", &simulate_json, nb::arg("network"), nb::arg("host_of"),
               nb::arg("hierarchy"), nb::arg("operation"), nb::arg("root"), nb::arg("bytes"),
               nb::arg("choice"), "The timeline of one schedule, as JSON.");
    module.def("predict", &predict, nb::arg("network"), nb::arg("host_of"), nb::arg("hierarchy"),
               nb::arg("operation"), nb::arg("root"), nb::arg("bytes"), nb::arg("choice"),
               "Seconds that one schedule takes.");
    module.def(
        "operations",
        [] {
            std::vector<std::string> names;
            for (const Operation operation : operations())
                names.emplace_back(traits(operation).name);
            return names;
        },
        "The collective operations by name.");
    module.def(
        "rooted",
        [](const std::string& operation) { return traits(parse_operation(operation)).rooted(); },
        nb::arg("operation"), "Whether it has a root.");
    module.def(
        "begins_at_root",
        [](const std::string& operation) {
            return traits(parse_operation(operation)).begins == Begins::root;
        },
        nb::arg("operation"), "Whether only its root has something to give.");
    module.def(
        "check_choice", [](const std::string& choice) { parse_choice(choice); }, nb::arg("choice"),
        "Raises EngineError if it is not valid.");
    module.def(
        "can_simulate",
        [](const std::string& choice) { return can_simulate(parse_choice(choice)); },
        nb::arg("choice"), "Whether ECO knows all of its schedule.");
    module.def("candidates", &candidate_texts, nb::arg("hierarchy"), nb::arg("operation"),
               nb::arg("bytes"), "The candidates, as written choices.");
    module.def("forecast", &forecast_texts, nb::arg("network"), nb::arg("host_of"),
               nb::arg("hierarchy"), nb::arg("operation"), nb::arg("root"), nb::arg("bytes"),
               nb::arg("most"), "The fastest schedules by prediction, as written choices.");
    nb::class_<Explained>(module, "Explained")
        .def_prop_ro("choice", [](const Explained& found) { return to_text(found.choice); })
        .def_prop_ro("rests", [](const Explained& found) { return rests_on(found.rests); })
        .def_ro("bytes", &Explained::bytes)
        .def_ro("native", &Explained::native)
        .def_ro("eco", &Explained::eco);
    module.def(
        "explain", &explained, nb::arg("profile"), nb::arg("hierarchy"), nb::arg("operation"),
        nb::arg("root"), nb::arg("bytes"), nb::arg("library"),
        "What runs, and what that rests on: what was timed or predicted, and at which size.");
    module.def(
        "messages",
        [](const Hierarchy& hierarchy, const std::string& operation, const std::string& choice) {
            return messages_of(parse_choice(choice), {parse_operation(operation), &hierarchy});
        },
        nb::arg("hierarchy"), nb::arg("operation"), nb::arg("choice"),
        "About how many its schedule has.");
    module.def("place", &placed, nb::arg("network"), nb::arg("hierarchy"), nb::arg("host_of"),
               nb::arg("edges"));
    module.def("supports", &can_do, nb::arg("hierarchy"), nb::arg("operation"), nb::arg("choice"));
    module.def("tree", &tree_of, nb::arg("hierarchy"), nb::arg("operation"), nb::arg("choice"),
               nb::arg("root"), "Parents and children; empty for a choice that is no tree.");
    module.def(
        "bound",
        [](const Network& network, const HostOf& host_of, const Hierarchy& hierarchy,
           const std::string& operation, Rank root, Bytes bytes, bool multicast) {
            const Request request = ask(network, host_of, hierarchy, operation, root);
            Network without;
            if (!multicast) {
                without = network;
                without.mcasts.clear();
                for (Network& railed : without.railed) railed.mcasts.clear();
            }
            const Bound bound =
                find_bound(multicast ? network : without, host_of, request.operation, root, bytes);
            return std::pair{bound.time, bound.reason};
        },
        nb::arg("network"), nb::arg("host_of"), nb::arg("hierarchy"), nb::arg("operation"),
        nb::arg("root"), nb::arg("bytes"), nb::arg("multicast") = true,
        "The lower bound in seconds, and why; without IP multicast if so asked.");
}

}  // namespace eco
