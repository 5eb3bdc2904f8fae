// SPDX-License-Identifier: BSD-3-Clause
// Whether packets get from host to host, in each network that two hosts share, or by routers where
// they share none: how many small ones are lost, and whether full ones arrive. Pairs are neighbours
// in rank order. For `eco doctor`; called by probe_main.cpp before anything else is measured,
// because a fault here may make a measurement hang: it uses only short messages of MPI.
#pragma once

#include <set>
#include <string>

namespace eco {

// Collective over MPI_COMM_WORLD. Tells of each network and direction by a line of the sender's
// (tell_of_host), but for networks that do not join (joined_networks.h). Returns whether any pair
// loses packets, the same on all ranks. Throws MpiError.
bool check_links(const std::set<std::string>& not_joining);

}  // namespace eco
