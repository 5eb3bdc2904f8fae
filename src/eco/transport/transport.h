// How one rank's program moves bytes: starts sends and receives, waits for some of them. Called by
// the executor; MPI point-to-point in real runs, threads in tests.
#pragma once

#include <vector>

#include "eco/base/units.h"

namespace eco {

class Transport {
public:
    virtual ~Transport() = default;

    // Neither blocks. The memory must stay as it is until `id` has been reported by wait().
    // Messages between two ranks are matched by tag, those of one tag in the order they were
    // started.
    virtual void send(int id, const void* data, Bytes bytes, Rank to, int tag) = 0;
    virtual void recv(int id, void* data, Bytes bytes, Rank from, int tag) = 0;

    // Blocks until at least one that was started has ended; appends the ids of all that have.
    virtual void wait(std::vector<int>& ended) = 0;
};

}  // namespace eco
