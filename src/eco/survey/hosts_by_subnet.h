// SPDX-License-Identifier: BSD-3-Clause
// The hosts of each subnet, from the subnet of each host: for what looks at whole subnets, as
// odd.h, slow_for_long.h and both_ways.h do. Pure.
#pragma once

#include <map>
#include <vector>

namespace eco {

// By the subnet's id; hosts ascending, no subnet empty.
inline std::map<int, std::vector<int>> hosts_by_subnet(const std::vector<int>& subnet) {
    std::map<int, std::vector<int>> found;
    for (std::size_t host = 0; host < subnet.size(); ++host)
        found[subnet[host]].push_back(static_cast<int>(host));
    return found;
}

}  // namespace eco
