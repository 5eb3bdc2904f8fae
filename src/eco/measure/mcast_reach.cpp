// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_reach.h"

#include <cstddef>

namespace eco {

bool some_probes_were_lost(const std::vector<std::vector<bool>>& reach) {
    // In a group all rows are the same.
    for (std::size_t a = 0; a < reach.size(); ++a)
        for (std::size_t b = 0; b < reach.size(); ++b)
            if (reach[a][b] && reach[a] != reach[b]) return true;
    return false;
}

}  // namespace eco
