// SPDX-License-Identifier: BSD-3-Clause
// A model of a network that was not measured beyond the times of its pairs. Called where a profile
// has no model. Pure.
#pragma once

#include "eco/topology/model.h"
#include "eco/topology/profile.h"

namespace eco {

// From pairwise times alone: fixed and per-byte part fitted over sizes, overheads a small share of
// the latency, every medium a switch.
Model derive_model(const Profile& profile);

}  // namespace eco
