// SPDX-License-Identifier: BSD-3-Clause
// From what hosts got of a group that some of them have joined to whether switches copy multicasts
// to all hosts, or only to those that joined. Sends nothing itself. Called by mcast_flood.h.
#pragma once

#include <optional>
#include <vector>

namespace eco {

// Who joins the group, and who sends to it; per host.
struct FloodPlan {
    std::vector<bool> joins, sends;
};

// areas: each a list of hosts that reach each other; one inside another counts as part of it.
// subnet: per host. In each subnet of an area one host joins, which shows whether datagrams get
// there; the others are those that should get none. One of each area sends.
FloodPlan plan_flood(const std::vector<std::vector<int>>& areas, const std::vector<int>& subnet);

struct HostGot {
    double came = 0;       // datagrams, as a member
    double unwanted = -1;  // packets that nobody there wanted, more than usual; below 0: not known
};

// usual: packets that nobody wanted in as long a time before the datagrams. Below 0, not known,
// where these could hide datagrams.
double unwanted_beside(double usual, double packets, int datagrams);

// Whether any host of the area that has not joined got the datagrams. Empty if that is not known
// of some subnet.
std::optional<bool> is_flooded(const std::vector<int>& area, const FloodPlan& plan,
                               const std::vector<int>& subnet, const std::vector<HostGot>& got,
                               int datagrams);

}  // namespace eco
