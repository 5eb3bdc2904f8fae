// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "eco/python/bind.h"
#include "eco/report/call_estimate.h"
#include "eco/report/report.h"
#include "eco/topology/build_hierarchy.h"

namespace eco {

namespace nb = nanobind;

namespace {

// As a job's report has it, of a communicator of these ranks.
CallEstimate native_time(const Profile& profile, const std::vector<int>& host_of,
                         const std::string& operation, Rank root, Bytes bytes,
                         const std::string& library) {
    const OperationTraits& kind = traits(parse_operation(operation));
    const Hierarchy hierarchy = build_hierarchy(profile, host_of);
    CallKind calls{std::string(traits(tuned_as(kind.operation)).name),
                   kind.size_known ? bytes : -1,
                   bytes,
                   is_near(hierarchy),
                   ranks_per_host(hierarchy) > 1,
                   "native",
                   host_of};
    if (kind.rooted()) calls.roots[root] = 1;
    return CallEstimator(profile, library).native(calls);
}

}  // namespace

void bind_report(nb::module_& module) {
    nb::class_<CallEstimate>(module, "CallEstimate")
        .def_prop_ro("known", &CallEstimate::known)
        .def_prop_ro("basis", [](const CallEstimate& found) { return to_text(found.basis); })
        .def_prop_ro("least", [](const CallEstimate& found) { return found.time.low; })
        .def_prop_ro("likely", [](const CallEstimate& found) { return found.time.likely; })
        .def_prop_ro("most", [](const CallEstimate& found) { return found.time.high; });
    module.def("native_time", &native_time, nb::arg("profile"), nb::arg("host_of"),
               nb::arg("operation"), nb::arg("root"), nb::arg("bytes"), nb::arg("library"),
               "What the library takes for such a call, as a job's report has it.");
    nb::class_<ReportRow>(module, "ReportRow")
        .def_ro("operation", &ReportRow::operation)
        .def_prop_ro("blocks", &ReportRow::blocks)
        .def_ro("calls", &ReportRow::calls)
        .def_ro("time", &ReportRow::time)
        .def_ro("waited", &ReportRow::waited)
        .def_prop_ro("known", &ReportRow::known)
        .def_prop_ro("estimate", [](const ReportRow& row) { return row.other.likely; });
    nb::class_<Report>(module, "Report")
        .def_ro("with_eco", &Report::with_eco)
        .def_ro("rows", &Report::rows)
        .def("text", [](const Report& report) { return to_text(report); })
        .def("json", [](const Report& report) { return to_json(report); });
    module.def(
        "parse_report",
        [](const nb::bytes& text, const std::string& origin) {
            return parse_report({text.c_str(), text.size()}, origin);
        },
        nb::arg("text"), nb::arg("origin"), "A checked report; raises EngineError if it is none.");
}

}  // namespace eco
