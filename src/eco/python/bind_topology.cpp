// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "eco/python/bind.h"
#include "eco/topology/build_hierarchy.h"

namespace eco {

namespace nb = nanobind;

void bind_topology(nb::module_& module) {
    nb::class_<Profile>(module, "Profile")
        .def_ro("hosts", &Profile::hosts)
        .def_ro("levels", &Profile::levels)
        .def_ro("ring", &Profile::ring);
    module.def(
        "parse_profile",
        [](const nb::bytes& text, const std::string& origin) {
            return parse_profile({text.c_str(), text.size()}, origin);
        },
        nb::arg("text"), nb::arg("origin"),
        "A checked profile; raises EngineError if it is not valid.");
    nb::class_<Hierarchy>(module, "Hierarchy")
        .def_prop_ro("ranks", &Hierarchy::ranks)
        .def_ro("ring", &Hierarchy::ring)
        .def("__str__", [](const Hierarchy& hierarchy) { return describe(hierarchy.top); });
    module.def(
        "build_hierarchy",
        [](const Profile& profile, const std::vector<int>& host_of) {
            return build_hierarchy(profile, host_of);
        },
        nb::arg("profile"), nb::arg("host_of"),
        "Nested groups of ranks; host_of: each rank's index in profile.hosts.");
}

}  // namespace eco
