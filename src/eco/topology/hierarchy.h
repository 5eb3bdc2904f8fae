// Turns a profile's levels and the hosts of a communicator's ranks into nested groups of ranks:
// what planners see of the network. Groups of one part are skipped, so every group either is a
// single rank or has two parts or more. All ranks build the same one from the same inputs.
#pragma once

#include <string>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/profile.h"

namespace eco {

struct Group {
    std::vector<Rank> ranks;  // of all parts, in ring order
    std::vector<Group> parts;

    bool is_rank() const { return parts.empty(); }
    bool holds(Rank rank) const;
};

struct Hierarchy {
    Group top;
    bool one_subnet = true;  // all ranks are in one innermost cluster of the network
    std::vector<Rank> ring;  // all ranks, neighbours near (§6.2); hosts in the profile's ring order

    int ranks() const { return static_cast<int>(ring.size()); }
};

// host_of (here and below): per rank its index in profile.hosts. Per level, widest first, each
// rank's cluster id; the hosts themselves at the end.
std::vector<std::vector<int>> keys_by_level(const Profile& profile,
                                            const std::vector<int>& host_of);

Hierarchy build_hierarchy(const Profile& profile, const std::vector<int>& host_of);

// All ranks alike, in rank order: what a library that knows nothing of the network sees.
Hierarchy flat_hierarchy(int ranks);

// Whether each group's ranks are consecutive numbers: "near", else "scattered".
bool is_near(const Hierarchy& hierarchy);
const char* layout_name(const Hierarchy& hierarchy);

// "(0 1 2) (3 4 5) (6 7)": for messages and tests.
std::string describe(const Group& group);

// From nested lists in the same form: "((0 1) (2 3)) (4)"; for tests, as hwloc's synthetic strings.
Hierarchy parse_hierarchy(const std::string& text);

}  // namespace eco
