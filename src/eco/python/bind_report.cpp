// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "eco/python/bind.h"
#include "eco/report/report.h"

namespace eco {

namespace nb = nanobind;

void bind_report(nb::module_& module) {
    nb::class_<ReportRow>(module, "ReportRow")
        .def_ro("operation", &ReportRow::operation)
        .def_prop_ro("blocks", &ReportRow::blocks)
        .def_ro("calls", &ReportRow::calls)
        .def_ro("time", &ReportRow::time)
        .def_ro("waited", &ReportRow::waited)
        .def_ro("estimate", &ReportRow::other);
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
