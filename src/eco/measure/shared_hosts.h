// SPDX-License-Identifier: BSD-3-Clause
// Turns what was timed with one rank on each host into choices for several ranks on each, which
// were predicted only: how far the library is from its quickest topology-unaware baseline there is
// taken to hold for several ranks as well. Pure. Called by probe_main when choices were timed.
#pragma once

#include <string>
#include <vector>

#include "eco/simulate/prediction_error.h"
#include "eco/topology/profile.h"

namespace eco {

// Entries of this library, predicted and derived, for each prediction in `tuning` for several ranks
// on each host that has a call beside it which this library was timed with, of at most twice or at
// least half the length. tuning: a profile's, of one measurement. What was timed on shared hosts is
// left as it is, and so are messages of up to a few frames.
std::vector<Tuned> choices_on_shared_hosts(const std::vector<Tuned>& tuning,
                                           const std::string& library,
                                           const PredictionErrors& errors);

}  // namespace eco
