// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "eco/multicast/best.h"
#include "eco/multicast/draw.h"
#include "eco/multicast/pattern_bound.h"
#include "eco/multicast/planners.h"
#include "eco/python/bind.h"

namespace eco {

namespace nb = nanobind;
using namespace nb::literals;
using namespace multicast;

namespace {

using MessageTuple = std::tuple<Rank, Bytes, std::vector<Rank>>;
using TaskTuple = std::tuple<bool, Rank, int, Seconds, Seconds>;

std::vector<MessageTuple> message_tuples(const Pattern& pattern) {
    std::vector<MessageTuple> list;
    for (const Message& message : pattern.messages)
        list.emplace_back(message.source, message.bytes, message.destinations);
    return list;
}

Pattern with_messages(const Pattern& pattern, const std::vector<MessageTuple>& messages) {
    Pattern changed{pattern.model, {}};
    for (const auto& [source, bytes, destinations] : messages)
        changed.messages.push_back({source, bytes, destinations});
    check(changed, "the pattern");
    return changed;
}

Pattern drawn(int ranks, int sources, const std::string& reach, const std::string& lengths,
              double rate, int classes, const std::string& spacing, bool apart,
              std::uint64_t seed) {
    Draw how;
    how.ranks = ranks;
    how.sources = sources;
    how.reach = parse_reach(reach);
    how.lengths = parse_lengths(lengths);
    how.bits_per_second = rate;
    how.classes = classes;
    how.spacing = parse_spacing(spacing);
    how.apart = apart;
    return draw(how, seed);
}

std::vector<std::vector<TaskTuple>> tasks(const Schedule& schedule) {
    std::vector<std::vector<TaskTuple>> ranks;
    for (const auto& list : schedule.ranks) {
        auto& row = ranks.emplace_back();
        for (const TimedTask& task : list)
            row.emplace_back(task.direction == multicast::Direction::send, task.peer, task.message,
                             task.start, task.end);
    }
    return ranks;
}

}  // namespace

void bind_multicast(nb::module_& parent) {
    nb::module_ module = parent.def_submodule("multicast", "Many sources, many destinations.");
    nb::class_<Pattern>(module, "Pattern")
        .def_prop_ro("ranks", &Pattern::ranks)
        .def_prop_ro("deliveries", &Pattern::deliveries)
        .def_prop_ro("messages", &message_tuples, "(source, bytes, destinations) of each")
        .def("with_messages", &with_messages, "messages"_a)
        .def("to_json", [](const Pattern& pattern) { return to_json(pattern); });
    nb::class_<Schedule>(module, "Schedule")
        .def_ro("completion", &Schedule::completion)
        .def_prop_ro("tasks", &tasks, "per rank (sends, peer, message, start, end) of each")
        .def("to_json", [](const Schedule& schedule) { return to_json(schedule); });
    nb::class_<PatternBound>(module, "Bound")
        .def_ro("paper", &PatternBound::paper)
        .def_ro("least", &PatternBound::least)
        .def_ro("ranks", &PatternBound::ranks)
        .def_ro("work", &PatternBound::work)
        .def_ro("spread", &PatternBound::spread);
    module.def("parse_pattern", &parse_pattern, "text"_a, "origin"_a);
    module.def("draw", &drawn, "ranks"_a, "sources"_a, "reach"_a, "lengths"_a, "rate"_a,
               "classes"_a, "spacing"_a, "apart"_a, "seed"_a);
    module.def("planners", [] {
        std::vector<std::tuple<std::string, std::string>> names;
        for (const Planner& one : planners()) names.emplace_back(one.name, one.title);
        return names;
    });
    module.def(
        "plan",
        [](const Pattern& pattern, const std::string& name) { return planner(name).plan(pattern); },
        "pattern"_a, "name"_a, nb::call_guard<nb::gil_scoped_release>());
    module.def("replan", &replan, "pattern"_a, "was"_a, "before"_a,
               nb::call_guard<nb::gil_scoped_release>());
    module.def("bound", &bound, "pattern"_a, nb::call_guard<nb::gil_scoped_release>());
    module.def("verify", &multicast::verify, "pattern"_a, "schedule"_a,
               "Empty when right, else one sentence.");
}

}  // namespace eco
