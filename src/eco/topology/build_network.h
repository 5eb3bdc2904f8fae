// SPDX-License-Identifier: BSD-3-Clause
// Turns a profile into the network that predictions and bounds compute with: what its media say,
// and what single messages took beyond that. Pure. Called where something is predicted.
#pragma once

#include "eco/topology/network.h"
#include "eco/topology/profile.h"

namespace eco {

// What clusters share by the profile's media, buses and uplinks, without ports and costs; no links
// where no media were measured. Holds no figures of pairs of hosts.
Network shared_links(const Profile& profile);

// The one by which the times of pairs with several links on their way are nearer to what was
// measured, of up to 32 hosts; `store` where no pair was timed or there is no model.
Forwarding find_forwarding(const Profile& profile);

// From the profile's model, or where it has none from one derived, and its rails. What a single
// message takes on the links that are known is kept; what it took beyond that when measured is
// fixed, and the pair's own cap.
Network build_network(const Profile& profile);

}  // namespace eco
