// SPDX-License-Identifier: BSD-3-Clause
// How shared capacity gets streams sent: on the real hosts (measure/), or simulated.
#pragma once

#include <vector>

#include "eco/topology/media.h"

namespace eco {

class StreamProber {
public:
    virtual ~StreamProber() = default;

    // All at once, each as fast as it can; a host sends to one at most and receives from one at
    // most. Bytes per second that arrived, in the same order.
    virtual std::vector<double> rates(const std::vector<Flow>& streams) = 0;
};

}  // namespace eco
