// SPDX-License-Identifier: BSD-3-Clause
// How a communicator ends: messages that calls have left for late ranks, errors, its release.
#include <sched.h>

#include <algorithm>
#include <new>
#include <utility>

#include "eco/job/communicator.h"
#include "eco/job/drained.h"
#include "eco/job/learning.h"
#include "eco/job/neighbourhood.h"
#include "eco/job/nonblocking_learning.h"
#include "eco/job/pending_calls.h"
#include "eco/mpi/process_failure.h"

namespace eco {

void Communicator::adopt_unfinished(McastCalls& calls, std::unique_ptr<RunningCall> call) {
    {
        const std::lock_guard lock(mutex_of_tags_);
        tags_in_use_.push_back(call->first_tag());
    }
    calls.adopt_unfinished(std::move(call));
    start_moving_left(*this);
}

std::vector<std::shared_ptr<McastCalls>> Communicator::all_mcast_calls() const {
    const std::lock_guard lock(mutex_of_tags_);
    std::vector<std::shared_ptr<McastCalls>> all;
    if (mcast_->made()) all.push_back(mcast_);
    for (const auto& [tag, calls] : mcast_for_long_) all.push_back(calls);
    return all;
}

void Communicator::end_mcast_for_long(int first_tag) noexcept {
    const std::lock_guard lock(mutex_of_tags_);
    const auto calls = mcast_for_long_.find(first_tag);
    if (calls != mcast_for_long_.end()) calls->second->set_freed();
}

// Those that nobody says anything about any more; the others' tags are still in use.
void Communicator::drop_freed_mcasts() {
    for (const auto& calls : all_mcast_calls()) {
        if (!calls->is_freed() || calls->has_left() || calls->drain_acknowledgements()) continue;
        session()->mcast.channel->forget(calls->context().number);
        const std::lock_guard lock(mutex_of_tags_);
        std::erase_if(mcast_for_long_, [&](const auto& each) { return each.second == calls; });
    }
}

bool Communicator::move_left() noexcept {
    std::vector<int> over;
    bool is_more = false;
    try {
        for (const auto& calls : all_mcast_calls())
            if (calls->has_left())
                is_more = calls->move_left(*session()->mcast.channel, over) || is_more;
    } catch (const MpiError& error) {
        abandon(error.code);
    } catch (...) {
        abandon();
    }
    leave(over);
    return is_more && !failed_;
}

void Communicator::abandon(int library_code) {
    usable_ = false;
    failed_ = true;
    if (!says_that_a_process_failed(library_code)) {
        broken_ = true;
        return;
    }
    // Ranks that have not met the failed one may wait for what this one will not pass on.
    revoke_own();
}

void Communicator::revoke_own() noexcept {
    for (MPI_Comm own : {inside_, hidden_}) revoke(own);
}

bool Communicator::drain_acknowledgements() noexcept {
    if (failed_) return false;
    try {
        bool is_more = move_left();
        for (const auto& calls : all_mcast_calls())
            is_more = calls->drain_acknowledgements() || is_more;
        return is_more;
    } catch (...) {
        failed_ = true;
        return false;
    }
}

bool Communicator::has_times() const {
    return nonblocking_learning_ && hidden_ != native().comm_null && !is_freed_ &&
           nonblocking_learning_->has_times();
}

void Communicator::begin_last_exchange() { nonblocking_learning_->begin_last(); }

void Communicator::end_last_exchange() {
    if (nonblocking_learning_) nonblocking_learning_->end_last();
}

void Communicator::release() noexcept {
    if (Session* here = session(); here && (learning_ || nonblocking_learning_)) {
        const std::lock_guard lock(here->mutex);
        try {
            if (here->world_rank == 0 && learning_) learning_->collect(here->results);
            if (here->world_rank == 0 && nonblocking_learning_)
                nonblocking_learning_->collect(here->results);
        } catch (const std::bad_alloc&) {
            // Then a later job learns it again.
        }
        learning_.reset();
        nonblocking_learning_.reset();
        chosen_.clear();
        calls_of_plans_.clear();
    }
    // No list of them, for which there may be no memory.
    if (Session* here = session(); here && here->mcast.channel) {
        McastChannel& channel = *here->mcast.channel;
        const std::lock_guard lock(mutex_of_tags_);
        if (mcast_->made()) channel.forget(mcast_->context().number);
        for (const auto& [tag, calls] : mcast_for_long_) channel.forget(calls->context().number);
    }
    if (!failed_) deferred_sends_.finish();
    while (drain_acknowledgements()) sched_yield();
    stop_moving_left(*this);
    mcast_->end();
    for (const auto& [tag, calls] : mcast_for_long_) calls->end();
    mcast_for_long_.clear();
    for (MPI_Comm* own : {&inside_, &hidden_}) {
        if (*own == native().comm_null) continue;
        native().Comm_free(own);
        *own = native().comm_null;
        if (session()) --session()->hidden_communicators;
    }
    usable_ = false;
}

void free_drained() noexcept {
    Session* here = session();
    if (!here || !here->some_draining.exchange(false)) return;
    std::vector<Communicator*> left;
    {
        const std::lock_guard lock(here->mutex);
        auto [over, some_draining] = take_drained(here->communicators);
        left = std::move(over);
        if (some_draining) here->some_draining = true;
    }
    // Not under the lock, as the library is called. What has not all arrived waits for the next
    // time: who asks may not block.
    for (Communicator* each : left) {
        if (!each->drop_sent()) {
            const std::lock_guard lock(here->mutex);
            here->communicators.push_back(each);
            here->some_draining = true;
            continue;
        }
        each->release();
        delete each;
    }
}

}  // namespace eco
