// SPDX-License-Identifier: BSD-3-Clause
// Whether uplinks that streams found carry what a profile says: `eco doctor --uplinks`. Each is
// filled once out of its cluster and once into it by streams of all hosts at once, as when it was
// measured, and nothing is searched. Called by probe_main.cpp.
#pragma once

#include <nlohmann/json.hpp>

#include "eco/measure/protocol.h"
#include "eco/topology/profile.h"

namespace eco {

// Collective. On rank 0 the contents of an event (docs/formats.md): "uplinks", per cluster with an
// uplink its `hosts`, and B/s of payload `out` of it and `in`, with the room that others' traffic
// takes. One to two seconds for each. Throws Error{launch} where a host of the profile has no rank,
// and MpiError.
nlohmann::json check_uplinks(const Profile& profile, Progress& progress);

}  // namespace eco
