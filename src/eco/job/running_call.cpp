// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/running_call.h"

#include "eco/mpi/tags.h"

namespace eco {

static bool all_by_mpi(const RunningCall::Channels& channels) {
    return !channels.rails && !channels.mcast;
}

RunningCall::RunningCall(const Channels& channels, const Prepared& prepared, const Layout& layout,
                         const Combine& combine, const Reduction& reduction)
    : first_tag_(channels.first_tag),
      mismatch_(channels.comm, first_tag_, first_tag_ + prepared.first_tag(), prepared.tags()),
      mpi_(channels.comm, channels.inside, reduction,
           all_by_mpi(channels) ? channels.deferred_sends : nullptr,
           all_by_mpi(channels) && channels.tags_tell_schedules ? &mismatch_ : nullptr),
      execution_(std::in_place, prepared, layout, combine, transport(channels),
                 channels.first_tag) {}

Transport& RunningCall::transport(const Channels& channels) {
    if (channels.mcast) {
        const auto rate = [top = channels.top](Rank from, std::span<const Rank> to) {
            return mcast_rate(*top, from, to);
        };
        return mcast_.emplace(*channels.mcast, *channels.mcast_context, channels.rank, rate, mpi_,
                              channels.first_tag, Tags::of_one_call);
    }
    if (!channels.rails) return mpi_;
    return rails_.emplace(*channels.rails, *channels.rail_context, channels.most_rails, mpi_);
}

bool RunningCall::progress() {
    if (!execution_->progress()) return false;
    leave();
    return true;
}

void RunningCall::finish() {
    execution_->finish();
    leave();
}

void RunningCall::leave() {
    if (mcast_) execution_.reset();
    if (!rails_ && !mcast_) mpi_.leave();
    mpi_.check_truncated();
}

}  // namespace eco
