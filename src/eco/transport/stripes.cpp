// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/stripes.h"

#include <cmath>
#include <numeric>

#include "eco/base/check.h"

namespace eco {

std::vector<Bytes> cut_stripes(Bytes bytes, const std::vector<double>& rates) {
    ECO_CHECK(!rates.empty() && bytes >= 0);
    static constexpr Bytes line = 64;  // of a cache; no two rails write into the same one
    const double whole = std::accumulate(rates.begin(), rates.end(), 0.0);
    std::vector<Bytes> stripes;
    double share = 0;
    Bytes done = 0;
    for (std::size_t rail = 0; rail < rates.size(); ++rail) {
        ECO_CHECK(rates[rail] > 0);
        share += rates[rail] / whole;
        const auto end = static_cast<Bytes>(std::llround(share * static_cast<double>(bytes)));
        const bool last = rail + 1 == rates.size();
        const Bytes stop = last ? bytes : std::min(bytes, (end + line / 2) / line * line);
        stripes.push_back(stop - done);
        done = stop;
    }
    return stripes;
}

Bytes longest_whole(const std::vector<Bytes>& sizes, const std::vector<Seconds>& whole,
                    const std::vector<Seconds>& striped) {
    ECO_CHECK(!sizes.empty() && whole.size() == sizes.size() && striped.size() == sizes.size());
    const auto loss = [&](std::size_t i, Seconds taken) {
        return taken / std::min(whole[i], striped[i]);
    };
    double least = 0;
    std::size_t best = 0;
    // Relative to all striped but the first.
    double now = 0;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        now += loss(i, whole[i]) - loss(i, striped[i]);
        if (now < least) {
            least = now;
            best = i;
        }
    }
    return sizes[best];
}

}  // namespace eco
