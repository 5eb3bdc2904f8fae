// SPDX-License-Identifier: BSD-3-Clause
// Guesses which part of the vertices shares a link to the rest, from streams that were slower
// between two parts than inside them. Where an uplink is hardly short, only rounds in which all of
// a part's streams cross it show that. Pure; called by find_capacity.h.
#pragma once

#include <random>
#include <vector>

#include "eco/survey/capacity_clusters.h"

namespace eco {

// With more vertices there are too many parts to try each; single ones change sides instead, from
// several beginnings.
inline constexpr int most_vertices_for_all_parts = 12;

// Two vertices to half of them, between which and the others streams are slowest beside those
// inside; at random where nothing tells parts apart. vertices: 4 or more. O(2^vertices · vertices²)
// up to most_vertices_for_all_parts, else O(streams) for each change.
std::vector<int> likely_part(int vertices, const std::vector<StreamRate>& streams,
                             std::mt19937& random);

}  // namespace eco
