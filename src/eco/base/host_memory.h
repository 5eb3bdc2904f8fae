// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process may have on its host: what the host has, or the limit of its control
// group (a container's, a batch job's) where that is lower. Called when a session begins.
#pragma once

#include <string>

#include "eco/base/units.h"

namespace eco {

// self: which control groups this process is in, as Linux writes it; groups: where their limits
// are. Files that are not there set no limit.
Bytes host_memory(const std::string& self = "/proc/self/cgroup",
                  const std::string& groups = "/sys/fs/cgroup");

}  // namespace eco
