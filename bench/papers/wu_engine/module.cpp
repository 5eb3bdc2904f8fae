// SPDX-License-Identifier: BSD-3-Clause
// The Python module `_wu`: patterns, plans and bounds as the experiments see them
// (../wu_tables/multicast.py).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "draw.h"
#include "eco/base/error.h"
#include "eco/multicast/pattern_bound.h"
#include "planners.h"
#include "replan.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace eco;
using namespace eco::multicast;

namespace {

using MessageTuple = std::tuple<Rank, Bytes, std::vector<Rank>>;

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

}  // namespace

NB_MODULE(_wu, module) {
    nb::exception<Error>(module, "WuError", PyExc_ValueError);
    nb::class_<Pattern>(module, "Pattern")
        .def_prop_ro("ranks", &Pattern::ranks)
        .def_prop_ro("messages", &message_tuples, "(source, bytes, destinations) of each")
        .def("with_messages", &with_messages, "messages"_a);
    nb::class_<Schedule>(module, "Schedule").def_ro("completion", &Schedule::completion);
    nb::class_<PatternBound>(module, "Bound")
        .def_ro("paper", &PatternBound::paper)
        .def_ro("least", &PatternBound::least);
    module.def("draw", &drawn, "ranks"_a, "sources"_a, "reach"_a, "lengths"_a, "rate"_a,
               "classes"_a, "spacing"_a, "apart"_a, "seed"_a);
    module.def(
        "plan",
        [](const Pattern& pattern, const std::string& name) { return planner(name).plan(pattern); },
        "pattern"_a, "name"_a, nb::call_guard<nb::gil_scoped_release>());
    module.def("replan", &replan, "pattern"_a, "was"_a, "before"_a,
               nb::call_guard<nb::gil_scoped_release>());
    module.def("bound", &bound, "pattern"_a, nb::call_guard<nb::gil_scoped_release>());
}
