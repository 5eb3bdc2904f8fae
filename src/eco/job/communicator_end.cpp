// SPDX-License-Identifier: BSD-3-Clause
// How a communicator ends: messages that calls have left for late ranks, errors, its release.
#include <sched.h>

#include <algorithm>
#include <new>

#include "eco/job/communicator.h"
#include "eco/job/learning.h"
#include "eco/job/neighbourhood.h"
#include "eco/job/pending_calls.h"

namespace eco {

// So says a library that was told to let others go on after a process has failed (ULFM).
static bool says_that_a_process_failed(int code) {
    int of = MPI_SUCCESS;
    if (code == MPI_SUCCESS || native().Error_class(code, &of) != MPI_SUCCESS) return false;
#if defined(OPEN_MPI)
    return of >= 75 && of <= 77;  // MPIX_ERR_PROC_FAILED, _PENDING and MPIX_ERR_REVOKED of ULFM
#elif defined(MPIX_ERR_PROC_FAILED)
    return of == MPIX_ERR_PROC_FAILED || of == MPIX_ERR_PROC_FAILED_PENDING ||
           of == MPIX_ERR_REVOKED;
#else
    return false;
#endif
}

void Communicator::take_left(std::unique_ptr<RunningCall> call) {
    Left left{std::move(call), {}};
    left.tags.push_back(left.call->first_tag());
    {
        const std::lock_guard lock(mutex_of_tags_);
        tags_in_use_.insert(tags_in_use_.end(), left.tags.begin(), left.tags.end());
    }
    {
        const McastTurn turn(mcast_);
        left_.push_back(std::move(left));
    }
    start_moving_left(*this);
}

bool Communicator::move_left() noexcept {
    std::vector<Left> over;
    bool is_more = false;
    try {
        is_more = McastTransport::move_left(mcast_, *session()->mcast.channel);
        if (!McastTurn::try_take(mcast_)) return true;
        const McastTurn turn(mcast_, std::adopt_lock);
        const auto first = std::partition(left_.begin(), left_.end(),
                                          [](const Left& each) { return each.call->is_behind(); });
        std::move(first, left_.end(), std::back_inserter(over));
        left_.erase(first, left_.end());
    } catch (const MpiError& error) {
        abandon(error.code);
    } catch (...) {
        abandon();
    }
    for (const Left& each : over) leave(each.tags);
    return is_more && !failed_;
}

void Communicator::abandon(int library_code) {
    usable_ = false;
    failed_ = true;
    lost_ = lost_ || !says_that_a_process_failed(library_code);
}

bool Communicator::still_talks() noexcept {
    if (!mcast_.talk || failed_) return false;
    try {
        const bool is_left = move_left();
        const McastTurn turn(mcast_);
        mcast_.talk->move();
        return is_left || !mcast_.talk->is_over();
    } catch (...) {
        failed_ = true;
        return false;
    }
}

void Communicator::release() noexcept {
    if (Session* here = session(); here && learning_) {
        const std::lock_guard lock(here->mutex);
        try {
            if (here->world_rank == 0) learning_->collect(here->results);
        } catch (const std::bad_alloc&) {
            // Then a later job learns it again.
        }
        learning_.reset();
        chosen_.clear();
    }
    if (Session* here = session(); here && here->mcast.channel && mcast_.number != 0)
        here->mcast.channel->forget(mcast_.number);
    if (!failed_) deferred_sends_.finish();
    while (still_talks()) sched_yield();
    stop_moving_left(*this);
    // After an error messages may be under way in what they keep.
    for (Left& each : left_) {
        [[maybe_unused]] const void* kept = each.call.release();
    }
    left_.clear();
    mcast_.talk.reset();
    for (MPI_Comm* own : {&inside_, &hidden_}) {
        if (*own == native().comm_null) continue;
        native().Comm_free(own);
        *own = native().comm_null;
        if (session()) --session()->hidden_communicators;
    }
    usable_ = false;
}

void free_left_over() noexcept {
    Session* here = session();
    if (!here || !here->some_outlive.exchange(false)) return;
    std::vector<Communicator*> left;
    {
        const std::lock_guard lock(here->mutex);
        for (Communicator* each : here->communicators)
            if (each->outlives() && !each->is_left_over()) here->some_outlive = true;
        for (Communicator* each : here->communicators)
            if (each->is_left_over()) left.push_back(each);
        std::erase_if(here->communicators, [](Communicator* each) { return each->is_left_over(); });
    }
    for (Communicator* each : left) {
        each->release();
        delete each;
    }
}

}  // namespace eco
