// SPDX-License-Identifier: BSD-3-Clause
// How one rank's program moves bytes: starts sends and receives, waits for some of them, and runs
// native parts by the MPI library. Called by run/execution.h; implemented by MPI, rails and
// multicasts, and by threads in tests.
#pragma once

#include <span>
#include <vector>

#include "eco/base/units.h"
#include "eco/schedule/collective.h"

namespace eco {

class Transport {
public:
    virtual ~Transport() = default;

    // Neither blocks. The memory must stay as it is until `id` has been reported by wait().
    // Messages between two ranks are matched by tag, those of one tag in the order they were
    // started.
    virtual void send(int id, const void* data, Bytes bytes, Rank to, int tag) = 0;
    virtual void recv(int id, void* data, Bytes bytes, Rank from, int tag) = 0;

    // To several ranks at once by IP multicast, and from one that does so; tag: the
    // number of the multicast among the sender's. Where a program has such tasks, the transport
    // can.
    virtual void mcast(int id, const void* data, Bytes bytes, std::span<const Rank> to, int tag);
    virtual void mcast_recv(int id, void* data, Bytes bytes, Rank from, int tag);

    // Blocks until at least one that was started has ended; appends the ids of all that have.
    virtual void wait(std::vector<int>& ended) = 0;

    // The same without blocking, so that it may append nothing. Lets the library move what else it
    // has under way.
    virtual void poll(std::vector<int>& ended) = 0;

    // How many of the sends that have not ended the call need not wait for: the transport has
    // their bytes, and completes them after the last task. 0 unless that holds for all it has
    // copied.
    virtual std::size_t deferrable_sends() const { return 0; }

    // Barrier, bcast, reduce or allreduce among the ranks of the caller's innermost group, which
    // all call alike. Blocks. Memory that has no part in it is null; from and to may be the same.
    virtual void native_part(Operation part, const void* from, void* to, Bytes bytes,
                             Rank root) = 0;
};

}  // namespace eco
