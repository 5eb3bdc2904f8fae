// SPDX-License-Identifier: BSD-3-Clause
// The lower bound: a time that no schedule of a collective can beat on a network, from the bytes
// that must cross each link, the distance of the farthest ranks, and the work of each rank. Printed
// beside predicted and measured times; property tests hold every schedule against it. Blocks are
// taken to be of equal length.
#pragma once

#include <string>
#include <vector>

#include "eco/schedule/collective.h"
#include "eco/topology/network.h"

namespace eco {

struct Bound {
    Seconds time = 0;
    std::string reason;  // "bus of n0 … n2 must carry 51400 bytes"; empty for one rank
};

// host_of: per rank its index in network.hosts; bytes: of the message, or of one block where that
// is its size (all but reductions to blocks). Counts what crosses a cut: into a bus each of its
// hosts' needs one by one and what must leave it at least once, for sums the 2(n-1) transfers by
// which all get something of all; the copies that buses must send each other, spread over all of
// them as evenly as can be. If hosts have several rails, over all of them. O(H² · depth), H³ up to
// 96 hosts for operations without root. Where network.mcasts reach several, a message crosses a
// medium once for all of them; what holds without multicast is the bound of the network without
// them.
Bound find_bound(const Network& network, const std::vector<int>& host_of, Operation operation,
                 Rank root, Bytes bytes);

}  // namespace eco
