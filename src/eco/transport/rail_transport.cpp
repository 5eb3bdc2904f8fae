// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/rail_transport.h"

#include <sched.h>

namespace eco {

// A peer in the program may wait for the MPI library here, which moves only when it is called.
static constexpr long longest_rail_sleep = 2000;  // microseconds

RailTransport::~RailTransport() {
    if (box_.open > 0) messages_.abandon();
}

void RailTransport::send(int id, const void* data, Bytes bytes, Rank to, int tag) {
    if (messages_.reaches(world(to))) {
        messages_.send(box_, id, data, bytes, world(to), context_.number, tag, most_);
    } else {
        other_.send(id, data, bytes, to, tag);
        ++open_elsewhere_;
    }
}

void RailTransport::recv(int id, void* data, Bytes bytes, Rank from, int tag) {
    if (messages_.reaches(world(from))) {
        messages_.recv(box_, id, data, bytes, world(from), context_.number, tag, most_);
    } else {
        other_.recv(id, data, bytes, from, tag);
        ++open_elsewhere_;
    }
}

bool RailTransport::moves() {
    const auto before = untold_.size();
    other_.poll(untold_);
    open_elsewhere_ -= static_cast<int>(untold_.size() - before);
    return messages_.progress(box_, untold_) || untold_.size() > before;
}

// Whether anything moved. The last message is told only when all that this rank owes its peers has
// left: after it, this rank may be away for long.
bool RailTransport::tries(std::vector<int>& ended) {
    const bool moved = moves();
    const bool last = box_.open == 0 && open_elsewhere_ == 0;
    if (untold_.empty() || (last && !messages_.is_quiet())) return moved;
    ended.insert(ended.end(), untold_.begin(), untold_.end());
    untold_.clear();
    return true;
}

void RailTransport::poll(std::vector<int>& ended) { tries(ended); }

void RailTransport::wait(std::vector<int>& ended) {
    const auto before = ended.size();
    while (true) {
        const bool moved = tries(ended);
        if (ended.size() > before) return;
        if (moved) continue;
        if (open_elsewhere_ > 0)
            sched_yield();
        else
            messages_.sleep_until_event(box_, longest_rail_sleep);
    }
}

}  // namespace eco
