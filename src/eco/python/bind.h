// SPDX-License-Identifier: BSD-3-Clause
// Parts of the Python module `_engine`: each folder's values and functions as the `eco` command
// sees them, one bind_… per file. Errors become RuntimeError with the one sentence and its `code`.
#pragma once

#include <nanobind/nanobind.h>

namespace eco {

void bind_topology(nanobind::module_& module);
void bind_simulate(nanobind::module_& module);
void bind_report(nanobind::module_& module);

}  // namespace eco
