// SPDX-License-Identifier: BSD-3-Clause
// `--interfaces` of the probe as the variables by which MPI libraries take interfaces. Each process
// sets them itself before MPI_Init, so that they reach all hosts by any launcher, and the name that
// an interface has on this host. Called by probe_main.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eco/transport/interfaces.h"

namespace eco {

// wanted: names of interfaces, and networks as 10.9.0.0/16 or fd00::/64; version: the library's own
// text; addresses: this host's. Throws Error{usage} if this host has none of them. With Open MPI
// an empty value removes a variable.
std::vector<std::pair<std::string, std::string>> interface_settings(
    const std::vector<std::string>& wanted, const std::string& version,
    const std::vector<IpAddress>& addresses);

}  // namespace eco
