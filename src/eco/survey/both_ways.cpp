// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/both_ways.h"

#include <algorithm>
#include <set>

#include "eco/base/at.h"
#include "eco/survey/hosts_by_subnet.h"

namespace eco {

std::vector<HostPair> links_to_try(const std::vector<int>& subnet,
                                   const std::vector<HostPair>& inside) {
    std::vector<int> first;
    std::vector<HostPair> pairs, others;
    for (const auto& [id, own] : hosts_by_subnet(subnet)) {
        first.push_back(own.front());
        if (own.size() == 2) others.emplace_back(own[0], own[1]);
    }
    const auto join = [&](std::size_t i) { pairs.push_back(std::minmax(first[i], first[i + 1])); };
    const std::size_t count = first.size();
    for (std::size_t i = 0; i + 1 < count; i += 2) join(i);
    if (count > 1 && count % 2 == 1) join(count - 2);
    pairs.insert(pairs.end(), inside.begin(), inside.end());
    for (std::size_t i = 1; i + 1 < count; i += 2) join(i);
    pairs.insert(pairs.end(), others.begin(), others.end());
    std::set<HostPair> seen;
    std::erase_if(pairs, [&](const HostPair& pair) { return !seen.insert(pair).second; });
    return pairs;
}

int subnets_not_tried(const std::vector<int>& subnet, const std::vector<HostPair>& tried) {
    const std::set<int> all(subnet.begin(), subnet.end());
    std::set<int> seen;
    for (const auto& [a, b] : tried)
        if (subnet[at(a)] != subnet[at(b)]) {
            seen.insert(subnet[at(a)]);
            seen.insert(subnet[at(b)]);
        }
    return all.size() < 2 ? 0 : static_cast<int>(all.size() - seen.size());
}

}  // namespace eco
