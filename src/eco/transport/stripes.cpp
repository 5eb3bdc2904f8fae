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

}  // namespace eco
