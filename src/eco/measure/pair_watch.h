// SPDX-License-Identifier: BSD-3-Clause
// Says on rank 0 which two ranks have not ended their messages in ten seconds, so that nobody waits
// without a word where a message never arrives. A thread of its own, as rank 0 may itself be one of
// the two and wait inside the MPI library. Called by worker_pool.cpp.
#pragma once

#include "eco/base/units.h"

namespace eco {

// While this lives, two ranks time messages; event `waiting` (docs/formats.md) after 10 s more than
// a link of 1 Mbit/s takes for them, and after two, four, eight times as long. A step of their work
// begins with each call of moved(). One at a time.
class PairWatch {
public:
    PairWatch();
    ~PairWatch();
    PairWatch(const PairWatch&) = delete;
    PairWatch& operator=(const PairWatch&) = delete;
    // bytes: of all messages of the step.
    static void moved(int one, int two, Bytes bytes);
};

}  // namespace eco
