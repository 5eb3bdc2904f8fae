// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/straight.h"

#include <algorithm>
#include <cmath>

#include "eco/topology/hierarchy.h"

namespace eco {

// Forwarding takes one crossing more; meanwhile the link can carry as much again to each other one.
static double late_part(const Group& top, Bytes bytes) {
    if (!top.inter_cluster_cost || bytes <= 0) return 0;
    const Cost busy = top.inter_cluster_cost->busy, whole = top.inter_cluster_cost->whole;
    const Seconds once = busy.per_byte * static_cast<double>(bytes);
    const double others = static_cast<double>(top.parts.size()) - 1;
    return once > 0 ? whole.fixed / (others * once) : 0;
}

// Of blocks of the same length, those that go straight.
struct Shares {
    double only = 0, with_rest = 0;
};
static Shares of_blocks(const Group& top) {
    const double others = static_cast<double>(top.parts.size()) - 1;
    double all = 0, least = 0, most = 0;
    for (const Group& part : top.parts) {
        const double size = static_cast<double>(part.ranks.size());
        least = all == 0 ? size : std::min(least, size);
        most = std::max(most, size);
        all += size;
    }
    const double room = std::max(all - least, most);  // what one link must carry anyway
    Shares shares;
    for (const Group& part : top.parts) {
        const double size = static_cast<double>(part.ranks.size());
        if (others * size <= room) {
            shares.only += size / all;
            shares.with_rest += size / all;
        } else {
            shares.with_rest += (room - size) / (others - 1) / all;
        }
    }
    return shares;
}

std::vector<int> straight_shares(const Request& request, Bytes bytes) {
    const Group& top = request.hierarchy->top;
    std::vector<int> list;
    const auto add = [&](double share) {
        const int hundredths = static_cast<int>(std::lround(100 * share));
        if (hundredths > 0 && hundredths < 100 &&
            std::find(list.begin(), list.end(), hundredths) == list.end())
            list.push_back(hundredths);
    };
    if (top.parts.size() < 3) return list;
    switch (traits(request.operation).rules) {
        case Rules::tree:
        case Rules::sum:
            add(std::min(1.0, late_part(top, bytes)));
            break;
        case Rules::all_blocks:
        case Rules::sum_blocks: {
            const Shares shares = of_blocks(top);
            add(shares.only);
            add(shares.with_rest);
            break;
        }
        default:
            break;
    }
    return list;
}

}  // namespace eco
