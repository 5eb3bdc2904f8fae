// SPDX-License-Identifier: BSD-3-Clause
// Where on its host each rank is bound, and the levels that follow inside hosts: packages, NUMA
// nodes, shared caches. A rank that may run in several has no level from there on, so depths differ
// between ranks. Made when the session begins, through processors.h; used for hierarchies and
// clusters.
#pragma once

#include <vector>

namespace eco {

// Ids are of one host, -1 where the binding spans several or there is none. A cache is the widest
// one that holds the binding and is only a part of the package and NUMA node around it.
struct Binding {
    int package = -1, numa = -1, cache = -1;
    bool operator==(const Binding&) const = default;
};
inline constexpr int levels_inside = 3;

// Per level inside, from package to cache, per rank a key: equal for ranks of one host that are
// together at it, -1 for a rank that has no such level. host_of: per rank its host; bindings: per
// rank, or empty if nothing is known.
std::vector<std::vector<int>> keys_inside(const std::vector<int>& host_of,
                                          const std::vector<Binding>& bindings);

}  // namespace eco
