// SPDX-License-Identifier: BSD-3-Clause
// How a call leaves while receivers are late, and what is done for them afterwards.
#include <algorithm>

#include "eco/transport/mcast_transport.h"

namespace eco {

// All that is left to do in this call are multicasts, and these wait for ranks that are late.
void McastTransport::leave(std::vector<int>& ended) {
    const bool only_multicasts =
        open_ > 0 && static_cast<std::size_t>(open_) == parts_left_.size() - tasks_left_.size();
    if (!context_.may_leave || !only_multicasts || !parts_.empty() || !held_.empty() ||
        !receiver_.is_complete() || receiver_.owes() || !context_.messages->has_left() ||
        !sender_.waits_for_late_ones())
        return;
    const Bytes bytes = std::max<Bytes>(1, sender_.bytes_to_keep());
    if (!channel_.keep(bytes)) return;
    if (!has_unacknowledged()) context_.left.push_back(this);
    kept_bytes_ += bytes;
    sender_.keep();
    for (const auto& [task, parts] : parts_left_)
        if (tasks_left_.insert(task).second) ended.push_back(task);
    open_ = 0;
}

// What has ended has been told.
void McastTransport::move_left() {
    std::vector<int> told;
    ended_elsewhere_.clear();
    if (!parts_.empty()) other_.poll(ended_elsewhere_);
    for (const int id : ended_elsewhere_) end_message(id, told);
    steps(told);
    if (!tasks_left_.empty() || !is_quiet()) return;
    close();
    channel_.keep(-kept_bytes_.exchange(0));
}

bool McastTransport::move_left(McastContext& context, McastChannel& channel) {
    if (!McastTurn::try_take(context)) return true;
    const McastTurn turn(context, std::adopt_lock);
    channel.receive();
    context.messages->move();
    for (McastTransport* each : context.left) each->move_left();
    return std::any_of(context.left.begin(), context.left.end(),
                       [](const McastTransport* each) { return each->has_unacknowledged(); });
}

}  // namespace eco
