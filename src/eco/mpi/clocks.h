// SPDX-License-Identifier: BSD-3-Clause
// One clock for all ranks of a communicator, so that the begin of a call on one rank and its end on
// another can be compared. Ranks of one host share its clock; hosts are compared by round trips.
// Used by learning.h.
#pragma once

#include <vector>

#include "eco/base/units.h"
#include "eco/mpi/native.h"
#include "eco/topology/hierarchy.h"

namespace eco {

class Clocks {
public:
    // This rank's own clock, without the others'.
    static Seconds own();

    // A moment of own() on the clock of the communicator's rank 0. Before align() its own.
    Seconds common(Seconds moment) const { return moment - ahead_ - drift_ * (moment - read_at_); }

    // Collective over comm: compares the clocks along a binomial tree of hosts, a few round trips
    // for each. host_of: per rank. From the second time on how fast they drift apart is known too.
    // Throws MpiError.
    void align(MPI_Comm comm, Rank me, const std::vector<int>& host_of);

    bool aligned() const { return read_at_ > 0; }
    // Whether it was so long ago that they may have drifted; ranks may differ in the answer.
    bool is_old() const { return own() - read_at_ > good_for; }

private:
    static constexpr Seconds good_for = 20;
    Seconds ahead_ = 0;    // of rank 0's clock, at read_at_
    Seconds read_at_ = 0;  // own()
    double drift_ = 0;
};

}  // namespace eco
