// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/clear_gain.h"

#include "eco/topology/hierarchy.h"

namespace eco {

// Between ranks of one host the model knows little, and libraries have ways there that messages
// have not.
static constexpr double clear = 1.15, clear_on_shared_hosts = 1.4;

// If it was measured how far predictions err, by this much more than that error.
static constexpr double clear_of_error = 1.05;

double clear_gain(const Request& request) {
    return ranks_per_host(*request.hierarchy) > 1 ? clear_on_shared_hosts : clear;
}

double gain_as_usual(double gain, double noise) {
    return noise > 0 ? gain * clear / (clear_of_error * (1 + noise)) : gain;
}

}  // namespace eco
