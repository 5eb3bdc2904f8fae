// SPDX-License-Identifier: BSD-3-Clause
// When a budget is over, by rank 0's clock, so that all ranks stop alike.
#pragma once

#include <chrono>

#include "eco/base/units.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

class Deadline {
public:
    using Clock = std::chrono::steady_clock;

    // Rank 0's `end` counts.
    explicit Deadline(Clock::time_point end) : end_(end) {}

    Clock::time_point end() const { return end_; }

    // Collective over MPI_COMM_WORLD; the same on all ranks, below zero when it is over.
    Seconds left() const {
        double left = std::chrono::duration<double>(end_ - Clock::now()).count();
        check_mpi(native().Bcast(&left, 1, native().real64, 0, native().comm_world));
        return left;
    }

private:
    Clock::time_point end_;
};

}  // namespace eco
