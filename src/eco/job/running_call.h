// SPDX-License-Identifier: BSD-3-Clause
// One collective call while it runs: its messages' transport and the execution that uses it. Made
// on the heap for each call by Communicator, so that a call can outlive the function that began it;
// that of a persistent call is started many times.
#pragma once

#include <memory>
#include <optional>

#include "eco/job/mismatch.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/run/execution.h"
#include "eco/topology/hierarchy.h"
#include "eco/transport/mcast_transport.h"
#include "eco/transport/rail_transport.h"

namespace eco {

class RunningCall {
public:
    // Where a call's messages go.
    struct Channels {
        MPI_Comm comm;
        Inside inside;
        int first_tag = 0;
        DeferredSends* deferred_sends = nullptr;
        RailMessages* rails = nullptr;  // null: all by MPI
        const RailContext* rail_context = nullptr;
        int most_rails = 0;
        McastChannel* mcast = nullptr;  // null: nothing is multicast
        McastContext* mcast_context = nullptr;
        const Group* top = nullptr;
        Rank rank = 0;
        bool tags_tell_schedules = false;  // Tags::tell_schedules
    };

    // Keeps references to all of these.
    RunningCall(const Channels& channels, const Prepared& prepared, const Layout& layout,
                const Combine& combine, const Reduction& reduction);

    int first_tag() const { return first_tag_; }
    // Whether multicasts to ranks that are late are under way when all is done: then it is kept,
    // McastTransport::move_left progresses it, and nothing else that it was made of is needed.
    bool has_unacknowledged() const { return mcast_ && mcast_->has_unacknowledged(); }
    bool has_unreachable() const { return mcast_ && mcast_->has_unreachable(); }

    // Each throws MpiError and Error; then the communicator is of no more use. Truncated: one of
    // its messages was longer than its place, and all others have been sent and received; then it
    // is not started again. Nor if something was multicast.
    void start() { execution_->start(); }
    // True when it is done. Does not wait for messages.
    bool progress();
    void finish();

private:
    Transport& transport(const Channels& channels);
    void leave();

    int first_tag_;
    MismatchCheck mismatch_;
    MpiTransport mpi_;
    std::optional<RailTransport> rails_;
    std::optional<McastTransport> mcast_;
    std::optional<Execution> execution_;
};

}  // namespace eco
