// SPDX-License-Identifier: BSD-3-Clause
// A common start for all ranks of a communicator, whatever their distance: without it, a rank that
// leaves a barrier late starts its clock late, and a message that is already on its way seems to
// take no time. Used by bench and tune; every function is collective.
#pragma once

#include <chrono>
#include <vector>

#include "eco/base/units.h"
#include "eco/measure/notice.h"
#include "eco/mpi/native.h"

namespace eco {

class Start {
public:
    using Clock = std::chrono::steady_clock;

    // Finds how far the ranks' clocks are apart: the half of the shortest of several round trips
    // with rank 0. P round trips one after the other, several times over. known: of the same ranks
    // in another order, whose clocks it knows; null: none.
    explicit Start(MPI_Comm comm, const Start* known = nullptr);

    // Returns at the same moment on all ranks; the moment, on this rank's clock. Waits until all
    // have come, except where messages take long and greatest was called just before: a rank that
    // is not ready then returns late. Reads the clocks again where they may have drifted.
    Clock::time_point together();

    // Of each number the greatest that a rank has; the same on all ranks. Starts are told earlier
    // from now on if one that waited for all ranks came late.
    std::vector<Seconds> greatest(std::vector<Seconds> own);

    // The first rank's numbers; of all ranks as many.
    std::vector<double> of_first(std::vector<double> own);

    // How much too late, at worst, the message with a moment reached a rank between the last two
    // calls of greatest; 0 if all came in time. The same on all ranks.
    Seconds late() const { return late_; }

    MPI_Comm comm() const { return comm_; }

private:
    void read_clocks();
    void tell_all(const std::vector<Seconds>& words);
    Seconds now() const;  // on rank 0's clock

    MPI_Comm comm_;
    int rank_ = 0, ranks_ = 0;
    Seconds ahead_ = 0;  // this rank's clock of rank 0's
    Seconds read_at_ = 0, read_took_ = 0;
    Notice notice_;
    // Of this rank since the last call of greatest, of starts that waited and of those that did
    // not.
    Seconds late_waited_ = 0, late_at_once_ = 0;
    Seconds late_ = 0;
};

}  // namespace eco
