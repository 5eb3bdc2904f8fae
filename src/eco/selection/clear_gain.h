// SPDX-License-Identifier: BSD-3-Clause
// From which predicted gain on ECO runs where nothing was timed. Called by Chooser.
#pragma once

#include "eco/schedule/collective.h"

namespace eco {

// Of the quickest topology-unaware schedule over ECO's, by prediction, what is clear: more on hosts
// that ranks share.
double clear_gain(const Request& request);

// gain, as it counts against clear_gain on a network where predictions err by `noise` (Tuned); 0:
// not measured.
double gain_as_usual(double gain, double noise);

}  // namespace eco
