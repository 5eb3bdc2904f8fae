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

// The same as all ranks last agreed on it, so that to ask costs no message: the results of timing
// carry it (interleave). Between sites far apart a message more for each question would take as
// long as what is timed.
class Countdown {
public:
    // Collective over MPI_COMM_WORLD, as agree_now.
    explicit Countdown(const Deadline& deadline) : deadline_(deadline) { agree_now(); }

    Seconds left() const { return left_; }
    Deadline::Clock::time_point end() const { return deadline_.end(); }

    // After what all ranks did without timing anything.
    void agree_now() {
        left_ = deadline_.left();
        own_end_ = Deadline::Clock::now() + std::chrono::duration_cast<Deadline::Clock::duration>(
                                                std::chrono::duration<double>(left_));
    }

    // What this rank would say now; and the least that any rank said.
    Seconds own_left() const {
        return std::chrono::duration<double>(own_end_ - Deadline::Clock::now()).count();
    }
    void agree(Seconds least) { left_ = least; }

private:
    const Deadline& deadline_;
    Deadline::Clock::time_point own_end_;
    Seconds left_ = 0;
};

}  // namespace eco
