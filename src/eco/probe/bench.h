// Operations × sizes × patterns, interleaved: in every round each pattern runs once, the next root
// in turn. Times are the slowest rank's.
#pragma once

#include <functional>

#include "eco/probe/options.h"
#include "eco/probe/protocol.h"
#include "eco/probe/trial.h"

namespace eco {

struct Sampled {
    std::string pattern;
    Choice choice;
    std::vector<Seconds> samples;
};

// Times the patterns in turn for about `budget` seconds, at least `least` rounds and at most
// `most`. Collective over comm; the result is the same on all ranks.
void interleave(Trial& trial, std::vector<Sampled>& patterns, MPI_Comm comm, Seconds budget,
                int least, int most, bool warm_up = true);

// Needs a session. Rank 0 sends a result event per operation and size.
void bench(const Options& options, Progress& progress);

}  // namespace eco
