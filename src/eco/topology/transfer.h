// SPDX-License-Identifier: BSD-3-Clause
// The transfer time of a message between two hosts: their pairwise time less the overheads of both.
// Called by measuring, and by what reads a profile that leaves it out.
#pragma once

#include <vector>

#include "eco/topology/matrix.h"
#include "eco/topology/model.h"

namespace eco {

// Through the times of the shortest and the longest message: what a short one takes, and what each
// byte of a long one adds. What lies between does not bend it, as buckets would that let a little
// pass at once.
Cost line_through_ends(const std::vector<Bytes>& sizes, const std::vector<Seconds>& times);

// Fills fixed and per_byte of a model whose overheads are known. minimum: one per size. Round trips
// go both ways, so each end's overhead is the mean of its two. Always the same figures for the same
// times and overheads.
void find_transfer(Model& model, const std::vector<Bytes>& sizes,
                   const std::vector<Matrix>& minimum);

}  // namespace eco
