// SPDX-License-Identifier: BSD-3-Clause
// The multicasts of one communicator's process topology, and how they run:
// MPI_Neighbor_allgather(v) sends each rank's data to all ranks to which it has an edge. Made at
// the communicator's first such call, collectively, by all ranks alike; kept with its Communicator.
#pragma once

#include <vector>

#include "eco/job/multicasts.h"

namespace eco {

class Neighbourhood {
public:
    // Collective over the hidden communicator, which must be there.
    Neighbourhood(MPI_Comm comm, const Communicator& communicator);

    // False where its edges are not the same from both ends, or are too many.
    bool usable() const { return usable_; }
    // Per edge into this rank, in MPI's order: whose; -1 for MPI_PROC_NULL.
    const std::vector<Rank>& sources() const { return sources_; }
    bool gives() const { return gives_; }
    // Whether it has any edge out, in, to itself as well.
    bool has_out() const { return has_out_; }
    bool has_in() const;
    // Whether edges join all ranks into one: then each knows the size that all give, in calls where
    // it is the same for all. Of two parts each may give its own, and a rank without edges to or
    // from others knows none.
    bool is_connected() const { return connected_; }

    // All ranks give `bytes`, known to all. may_mcast here and below: as Call::may_mcast.
    MulticastPlans::Plan of_size(const Communicator& communicator, Bytes bytes, bool may_mcast);

    // Ranks know only the sizes of what they give and get. All sizes are gathered at calls 1, 2, 4,
    // 8, …: in between the last ones hold for the choice; what it does is right for any.
    MulticastPlans::Plan of_own_size(const Communicator& communicator, Bytes bytes, bool may_mcast);

    // By the sizes that it gathered last, without asking anybody; null before.
    MulticastPlans::Plan last_of_own_size(const Communicator& communicator, bool may_mcast);

private:
    MulticastPlans::Plan planned(const Communicator& communicator, Operation operation,
                                 const std::vector<Bytes>& sizes, bool may_mcast);

    std::vector<Multicast> messages_;  // by source
    std::vector<Rank> sources_;
    bool usable_ = false, gives_ = false, has_out_ = false, connected_ = false;
    MulticastPlans plans_;
    // Of of_size, by size class and may_mcast.
    Recent<std::pair<Bytes, bool>, MulticastPlans::Plan> by_size_{1024, most_bytes_of_plans};
    std::vector<Bytes> sizes_;      // of of_own_size, gathered last
    MulticastPlans::Plan last_[2];  // for these, by may_mcast
    std::uint64_t calls_ = 0;
};

}  // namespace eco
