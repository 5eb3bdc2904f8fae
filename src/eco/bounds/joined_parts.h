// SPDX-License-Identifier: BSD-3-Clause
// What the medium of a cluster joins: the hosts directly on it and the clusters inside it, of both
// those with ranks, each with its links to the medium. Used by the bound.
#pragma once

#include <vector>

#include "eco/topology/network.h"

namespace eco {

struct Joined {
    std::vector<int> hosts;
    int out = -1, in = -1;  // links to the medium; -1: no limit
    int bus = -1;           // inside it
};

class JoinedParts {
public:
    // hosts: those with ranks, ascending. Both must outlive it.
    JoinedParts(const Network& network, const std::vector<int>& hosts);

    Joined of_host(int host) const;
    Joined of_cluster(const Cluster& cluster) const;
    std::vector<Joined> in(int cluster) const;

    // Whether what one host multicasts may reach two of these parts, or one and what is outside all
    // of them, with one crossing of the medium that joins them.
    bool are_reached_together(const std::vector<Joined>& parts) const;

private:
    bool has_ranks(int host) const;

    const Network& network_;
    const std::vector<int>& hosts_;
};

}  // namespace eco
