// SPDX-License-Identifier: BSD-3-Clause
// Nested groups of a communicator's ranks: what planners see of the network and of its hosts.
// Groups of one part are skipped, so every group either is a single rank or has two parts or more.
// Made from a profile by build_hierarchy.h, the same on all ranks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/inter_cluster_cost.h"

namespace eco {

struct Group {
    std::vector<Rank> ranks;  // of all parts, in ring order
    std::vector<Group> parts;
    bool on_one_host = false;  // all the ranks of a host; its parts are inside it
    // What a message costs the group's medium, against the network's slowest; on a bus every
    // message in, out and inside, on a switch only those of the leader of the group.
    double crossing = 1;
    bool shared = true;
    bool medium_known = false;  // else the two above are a guess
    // What a message from one part to another takes (inter_cluster_cost.h), where that is known.
    std::optional<InterClusterCost> inter_cluster_cost;
    // Bytes on the wire per second at which what one of its ranks multicasts reaches all others; 0:
    // it does not.
    double mcast_rate = 0;
    Rank leader = -1;  // of a group of groups: a rank where messages cost least; -1: the first

    Rank first() const { return leader >= 0 ? leader : ranks.front(); }
    bool is_rank() const { return parts.empty(); }
    // A host with all that is inside it; elsewhere, a group of single ranks.
    bool is_innermost() const;
    bool holds(Rank rank) const;
};

// A group of these parts, or of these ranks; a single one stands for itself.
Group joined(std::vector<Group> parts);
Group side_by_side(const std::vector<Rank>& ranks);

// Of the narrowest group that holds them all.
double mcast_rate(const Group& top, Rank from, std::span<const Rank> to);
// Whether the network's multicast reaches a whole group; inside a host messages do as well.
bool is_reached(const Group& group);
// Whether it reaches some group of two hosts or more.
bool has_mcast(const Group& group);

// The innermost group that a rank is in; of itself alone where it stands beside groups.
const Group& innermost(const Group& group, Rank rank);

// A call takes no more of a rank's memory, on hosts that have plenty: below what a program notices.
inline constexpr Bytes most_scratch_of_a_rank = Bytes{256} << 20;

struct Hierarchy {
    Group top;
    bool one_subnet = true;    // all ranks are in one innermost cluster of the network
    std::vector<int> host_of;  // per rank, in Profile::hosts; empty: made without a profile
    // How many hosts are in each group, nested, as "(1+5)+2", if not all that were measured have
    // ranks here: what was timed on all of them says little of these. Empty: all have.
    std::string structure;
    int rails = 0;  // of those that join two of its hosts, the most
    // Bytes that a call may take of each rank's memory beside the program's buffers.
    Bytes most_scratch = most_scratch_of_a_rank;
    std::vector<Rank> ring;  // all ranks, neighbours near (§6.2); hosts in the profile's ring order

    int ranks() const { return static_cast<int>(ring.size()); }
};

// All ranks alike, in rank order: what a library that knows nothing of the network sees.
Hierarchy flat_hierarchy(int ranks);

// Its innermost groups side by side, in the same order, without the wider levels. O(ranks).
Hierarchy without_levels(const Hierarchy& hierarchy);
// All ranks alike, in the same order. O(ranks).
Hierarchy without_groups(const Hierarchy& hierarchy);
// Whether it has wider levels than these.
bool has_levels(const Hierarchy& hierarchy);

// Whether the ranks of each host and of each group of hosts are consecutive numbers: "near", else
// "scattered". What lies inside hosts does not count: there an order costs microseconds, and the
// layout picks the tuning entries, which were timed between hosts.
bool is_near(const Hierarchy& hierarchy);
const char* layout_name(const Hierarchy& hierarchy);

// How many ranks the fullest host has.
int ranks_per_host(const Hierarchy& hierarchy);

// "(0 1 2) (3 [4 5]) (6 7)", ranks of one host in brackets: for messages and tests.
std::string describe(const Group& group);

// From nested lists in the same form: "((0 1) (2 3)) (4)"; for tests, as hwloc's synthetic strings.
// "{0 1 (2 3)}": multicast reaches all of these.
Hierarchy parse_hierarchy(const std::string& text);

}  // namespace eco
