// SPDX-License-Identifier: BSD-3-Clause
// Runs several multicasts on one communicator: planned once for each pattern, by prediction, alike
// on all ranks. Used by neighbourhood collectives and ECO_Multicast.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eco/job/communicator.h"

namespace eco {

struct Multicasting {
    std::string name;                    // as MulticastPlan has it, or native
    std::unique_ptr<Prepared> prepared;  // this rank's; null if it would gain nothing
    bool by_mcast = false;               // IP multicast, as some message of it goes by
    bool runs = false;                   // where nothing is learned; else the library
    // Its calls are learned as one class, named by the size class of all its messages (-1: they
    // differ) and by who gives what to whom. number: of all that it was planned for. The same on
    // all ranks.
    Bytes bytes_each = -1, longest = 0;
    std::string graph;
    std::uint64_t number = 0;

    std::size_t bytes() const {
        return sizeof *this + graph.size() + (prepared ? prepared->bytes() : 0);
    }
};

class MulticastPlans {
public:
    using Plan = std::shared_ptr<const Multicasting>;

    // Lengths count by their size class. may_be_native: where nothing is clearly better than each
    // message straight to each destination, all at once. ECO_VERBOSE=2 tells of new ones.
    // may_mcast: as Call::may_mcast. Needs can_predict(), and at most most_deliveries of them.
    Plan find(const Communicator& communicator, Operation operation,
              std::vector<Multicast> messages, bool may_be_native, bool may_mcast);

private:
    // By all that is in the messages. Planned without communication, so ranks may forget apart.
    Recent<std::vector<Bytes>, Plan> plans_{1024, most_bytes_of_plans};
};

}  // namespace eco
