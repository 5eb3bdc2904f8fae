// SPDX-License-Identifier: BSD-3-Clause
// What a survey takes for alike, and how often it looks. Given to survey().
#pragma once

#include "eco/base/units.h"

namespace eco {

struct SurveySettings {
    Bytes bytes = 1024;
    double tolerance = 0.2;
    // What a look for a message takes a host: a library that sleeps in it may make all times of a
    // pair longer by so much, and not those of another.
    Seconds look = 0;
    int checks = 4;  // per host, with random others of its cluster
    unsigned seed = 1;
    // Per host: so many comparisons at each level, after which large clusters are no longer
    // compared with each other; at most so many second visits of pairs that the partition depends
    // on.
    double comparisons_per_host = 8, again_per_host = 2;
    // And second visits of pairs that may only have been disturbed: few, unless much is.
    double disturbed_per_host = 12;
};

}  // namespace eco
