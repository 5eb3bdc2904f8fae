// SPDX-License-Identifier: BSD-3-Clause
// Which networks of the hosts do not join them, by connections of plain sockets (address_check.h):
// an address may look reachable where nothing arrives, or be the same on several hosts. Takes
// milliseconds where all connect, else two seconds. Called by probe_main.cpp before anything is
// measured.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "eco/transport/address_check.h"

namespace eco {

// Collective over MPI_COMM_WORLD: the networks in which a connection that was tried did not come
// about, or whose addresses several hosts have, as rails are named; the same on all ranks. Rank 0
// tells that messages got through, and of these networks (events `contact` and `networks`,
// docs/formats.md). Throws MpiError.
std::set<std::string> find_not_joining();

// The same without MPI: `eco probe reach`, which eco starts where no message of MPI's arrives.
// hosts: all of them; port: where each listens. Each host's first process tells what it found by a
// line (tell_of_host); others of its host do nothing.
void reach(const std::vector<HostAddresses>& hosts, in_port_t port);

}  // namespace eco
