// SPDX-License-Identifier: BSD-3-Clause
// Levels as a family of sets, from whatever they were found: which cluster has some hosts, and
// levels with other clusters put in. Called by measure/.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "eco/topology/levels.h"
#include "eco/topology/model.h"

namespace eco {

// Level and cluster with these hosts, the finest if there are several.
std::optional<std::pair<int, int>> find_cluster(const Levels& levels, std::vector<int> hosts);

// With a finest level that parts clusters as `parts` say, which are hosts of one cluster each of
// what was the finest; what no part has stays together. Without a level that says nothing: one
// cluster of all hosts.
Levels parted(Levels levels, const std::vector<std::vector<int>>& parts);

// The same with what was found by capacity in `old`, where that lies within levels' clusters.
Levels with_capacity(Levels levels, const Levels& old, const std::vector<Medium>& media);

}  // namespace eco
