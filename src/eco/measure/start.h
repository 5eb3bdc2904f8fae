// SPDX-License-Identifier: BSD-3-Clause
// A common start for all ranks of a communicator, whatever their distance: without it, a rank that
// leaves a barrier late starts its clock late, and a message that is already on its way seems to
// take no time. Used by bench and tune; every function is collective.
#pragma once

#include <chrono>
#include <vector>

#include "eco/base/units.h"
#include "eco/mpi/native.h"

namespace eco {

class Start {
public:
    using Clock = std::chrono::steady_clock;

    // Finds how far the ranks' clocks are apart: the half of the shortest of several round trips
    // with rank 0. P round trips one after the other, several times over. known: of the same ranks
    // in another order, whose clocks it knows; null: none.
    explicit Start(MPI_Comm comm, const Start* known = nullptr);

    // Returns at the same moment on all ranks, when all have come and the network is quiet; the
    // moment, on this rank's clock. Reads the clocks again where they may have drifted.
    Clock::time_point together();

    // Of each number the greatest that a rank has; the same on all ranks. Where messages take long,
    // the next start then waits for no rank: all were here just now.
    std::vector<Seconds> greatest(std::vector<Seconds> own);

    // The first rank's numbers; of all ranks as many.
    std::vector<double> of_first(std::vector<double> own);

    // How much too late the message with the last moment reached this rank; 0 if in time.
    Seconds late() const { return late_; }

    // Next time that message is sent so much earlier. All ranks give the same.
    void allow(Seconds more) { notice_ += more; }

    MPI_Comm comm() const { return comm_; }

private:
    void read_clocks();
    void tell_all(const std::vector<Seconds>& words);
    Seconds now() const;  // on rank 0's clock

    MPI_Comm comm_;
    int rank_ = 0, ranks_ = 0;
    Seconds ahead_ = 0;  // this rank's clock of rank 0's
    Seconds read_at_ = 0, read_took_ = 0;
    Seconds notice_ = 0.0005, late_ = 0;
    bool all_here_ = false;  // the same on all ranks
};

}  // namespace eco
