// SPDX-License-Identifier: BSD-3-Clause
// Random patterns as in the paper's experiments (Wu, Yeh and Liu §5), the same from the same seed
// on every machine. What §5 leaves open is a field of Draw. Called by the paper's experiments and
// the tests here.
#pragma once

#include <cstdint>
#include <string>

#include "eco/multicast/pattern.h"

namespace eco::multicast {

enum class Lengths { small, large, mixed };    // 1 B to 1 KiB; 1 or 1.5 MiB; either kind
enum class Destinations { all, half, any };    // see Draw::reach
enum class Spacing { even, geometric, free };  // see Draw::spacing

struct Draw {
    int ranks = 64;
    int sources = 64;  // that many ranks, drawn without repetition, have one message each
    // Who gets a message: all others; each other with probability 1/2, at least one; or a number of
    // others from 1 up, each number as likely.
    Destinations reach = Destinations::all;
    Lengths lengths = Lengths::large;
    double bits_per_second = 155e6;
    // Overheads: 80 to 400 µs and 0.0001 to 0.01 µs a byte. Classes take both from the fastest to
    // the slowest in even or in geometric steps, and a rank's class is drawn; free: each figure of
    // each rank is drawn for itself, evenly.
    int classes = 4;
    Spacing spacing = Spacing::even;
    bool apart = false;  // a rank's class as a receiver is drawn apart from that as a sender
};

// Throws Error{usage} where the figures make no sense.
Pattern draw(const Draw& how, std::uint64_t seed);

// Throw Error{usage} that lists the words.
Lengths parse_lengths(const std::string& word);     // small, large, mixed
Destinations parse_reach(const std::string& word);  // all, half, any
Spacing parse_spacing(const std::string& word);     // even, geometric, free

}  // namespace eco::multicast
