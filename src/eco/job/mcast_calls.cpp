// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/mcast_calls.h"

#include <utility>

namespace eco {

void McastCalls::make(std::uint64_t number, std::uint32_t first,
                      std::unique_ptr<McastMessages> messages, bool may_leave) {
    context_.number = number;
    context_.calls = first;
    context_.messages = std::move(messages);
    context_.may_leave = may_leave;
}

void McastCalls::adopt_unfinished(std::unique_ptr<RunningCall> call) {
    const McastTurn turn(context_);
    left_.push_back(std::move(call));
    left_count_ = left_.size();
}

bool McastCalls::move_left(McastChannel& channel, std::vector<int>& over) {
    if (!context_.messages) return false;
    const bool is_more = McastTransport::move_left(context_, channel);
    const OwnMcastTurn turn(context_);
    if (!turn) return true;
    std::erase_if(left_, [&over](const auto& call) {
        if (call->has_unacknowledged()) return false;
        over.push_back(call->first_tag());
        return true;
    });
    left_count_ = left_.size();
    return is_more;
}

bool McastCalls::drain_acknowledgements() {
    if (!context_.messages) return false;
    const McastTurn turn(context_);
    context_.messages->move();
    return !context_.messages->is_over();
}

void McastCalls::end() noexcept {
    for (auto& call : left_) {
        [[maybe_unused]] const void* kept = call.release();
    }
    left_.clear();
    context_.messages.reset();
}

}  // namespace eco
