// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/running_call.h"

#include "eco/mpi/tags.h"

namespace eco {

RunningCall::RunningCall(const Way& way, const Prepared& prepared, const Layout& layout,
                         const Combine& combine, const Reduction& reduction)
    : first_tag_(way.first_tag),
      mpi_(way.comm, way.inside, reduction, way.rails || way.mcast ? nullptr : way.deferred_sends),
      execution_(std::in_place, prepared, layout, combine, transport(way), way.first_tag) {}

Transport& RunningCall::transport(const Way& way) {
    if (way.mcast) {
        const auto rate = [top = way.top](Rank from, std::span<const Rank> to) {
            return mcast_rate(*top, from, to);
        };
        return mcast_.emplace(*way.mcast, *way.mcast_context, way.rank, rate, mpi_, way.first_tag,
                              Tags::of_one_call);
    }
    if (!way.rails) return mpi_;
    return rails_.emplace(*way.rails, *way.rail_context, way.most_rails, mpi_);
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
