// SPDX-License-Identifier: BSD-3-Clause
// The calls that multicast on one communicator, or the starts of one persistent call, in their
// order: those that wait for their turn, and those that returned before late ranks had all data.
// Kept by job/communicator.h; their common state is McastContext.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "eco/job/running_call.h"
#include "eco/transport/mcast_context.h"

namespace eco {

class McastCalls {
public:
    // number: no other calls have it in this job, and all ranks the same. first: the first call's
    // number. may_leave: whether the library's progress moves calls on.
    void make(std::uint64_t number, std::uint32_t first, std::unique_ptr<McastMessages> messages,
              bool may_leave);
    // And has not ended.
    bool made() const { return context_.messages != nullptr; }
    McastContext& context() { return context_; }

    // Of calls that do not block one runs at a time, in the order in which they were made, and
    // blocking ones wait for them: then each rank numbers them alike, and they do not take each
    // other's place on the wire.
    using Place = std::uint32_t;
    Place queue() { return queued_++; }
    bool is_next(Place place) const { return place == ended_; }
    bool has_queued() const { return queued_ != ended_; }
    void leave_queue() { ++ended_; }

    // Keeps a call that has_unacknowledged() messages until it has none.
    void adopt_unfinished(std::unique_ptr<RunningCall> call);
    bool has_left() const { return left_count_ > 0; }
    // Progresses these calls; over: first tags of those that have no such message any more. Whether
    // some have.
    bool move_left(McastChannel& channel, std::vector<int>& over);

    // As Communicator::drain_acknowledgements.
    bool drain_acknowledgements();

    // Of a persistent call: its request is free.
    void set_freed() { freed_ = true; }
    bool is_freed() const { return freed_; }
    // After an error messages may be under way in what it has: that is kept for good.
    void end() noexcept;

private:
    McastContext context_;
    std::vector<std::unique_ptr<RunningCall>> left_;  // in turn with the context
    std::atomic<std::size_t> left_count_ = 0;
    std::atomic<bool> freed_ = false;
    std::atomic<Place> queued_ = 0, ended_ = 0;
};

}  // namespace eco
