// SPDX-License-Identifier: BSD-3-Clause
// A call that has a request: started, advanced and ended by other calls of the program.
#include <algorithm>
#include <optional>
#include <utility>

#include "eco/job/call.h"
#include "eco/job/nonblocking_learning.h"
#include "eco/mpi/operator.h"
#include "eco/mpi/process_failure.h"

namespace eco {

void Call::end_requested() noexcept {
    Requested& mine = *requested_;
    mine.running.reset();
    leave_queue();
    if (persists() && multicasts()) communicator_->end_mcast_for_long(mine.tags.front());
    if (mine.joined) communicator_->leave(mine.tags);
}

void Call::hold(const Type& type) {
    if (!blocks() && !type.predefined) requested_->types.push_back(type.handle);
}

void Call::hold(MPI_Op op, const Type& type) {
    hold(type);
    if (!blocks() && !is_predefined(op)) requested_->user_operator = op;
}

bool Call::needs_type(MPI_Datatype type) const {
    if (blocks()) return false;
    return std::find(requested_->types.begin(), requested_->types.end(), type) !=
           requested_->types.end();
}

void Call::fill(Fill copy) {
    if (persists())
        requested_->fills.push_back(std::move(copy));
    else
        copy();
}

// The tags of all its schedules are set by the order of calls, whenever each of them runs.
void Call::prepare(const Prepared& prepared, Layout layout, Then then, Combine combine,
                   const Reduction& reduction) {
    Requested& mine = *requested_;
    if (!mine.joined) {
        const bool by_lengths =
            operation_ == Operation::gatherv || operation_ == Operation::scatterv;
        const int schedules = by_lengths ? 2 : 1;
        mine.tags =
            persists() ? communicator_->join_for_long(schedules) : communicator_->join(schedules);
        if (mine.tags.empty()) throw LeftToLibrary{};
        mine.joined = true;
        if (choice_ && choice_->is_mcast()) join_multicasts();
    }
    mine.running.reset();
    mine.program = &prepared;
    mine.layout = std::move(layout);
    mine.combine = std::move(combine);
    mine.then = std::move(then);
    mine.reduction = reduction;
    ++mine.used_tags;
    if (mine.started) start();
}

void Call::join_multicasts() {
    Requested& mine = *requested_;
    if (persists()) communicator_->make_mcast_for_long(mine.tags.front());
    mine.mcast_calls =
        persists() ? &communicator_->mcast_calls(mine.tags.front()) : &communicator_->mcast_calls();
}

void Call::start() {
    Requested& mine = *requested_;
    mine.started = true;
    if (!mine.program) return;
    mine.under_way = true;
    if (multicasts()) {
        mine.place = mine.mcast_calls->queue();
        return;
    }
    if (!mine.running) make_running();
    try {
        mine.running->start();
    } catch (...) {
        broken_ = true;
        throw;
    }
}

void Call::make_running() {
    Requested& mine = *requested_;
    mine.running = communicator_->begin_at(
        mine.tags[mine.used_tags - 1], choice_ ? choice_->rails : 0, mine.mcast_calls,
        *mine.program, mine.layout, mine.combine, mine.reduction);
}

// True when it is done.
bool Call::step(bool may_block) {
    if (multicasts()) return step_of_multicast(may_block);
    if (!may_block) return requested_->running->progress();
    requested_->running->finish();
    return true;
}

// What multicasts begins when its turn has come. Whoever is in a multicast of the same calls,
// further out in this thread or in another one, goes first.
bool Call::step_of_multicast(bool may_block) {
    Requested& mine = *requested_;
    if (!mine.mcast_calls->is_next(*mine.place)) return false;
    std::optional<OwnMcastTurn> turn(std::in_place, mine.mcast_calls->context());
    if (!*turn) return false;
    if (!mine.running) {
        make_running();
        mine.running->start();
    }
    try {
        if (may_block) {
            turn.reset();  // as a call that blocks: it takes turns with those that have left
            mine.running->finish();
        } else if (!mine.running->progress()) {
            return false;
        }
    } catch (const Truncated&) {
        end_multicast();
        throw;
    }
    end_multicast();
    return true;
}

void Call::end_multicast() {
    Requested& mine = *requested_;
    if (mine.running->has_unacknowledged())
        communicator_->adopt_unfinished(*mine.mcast_calls, std::move(mine.running));
    mine.running.reset();
    leave_queue();
}

bool Call::may_wait() const {
    return !multicasts() ||
           (requested_->place && requested_->mcast_calls->is_next(*requested_->place));
}

void Call::leave_queue() noexcept {
    if (requested_->place) requested_->mcast_calls->leave_queue();
    requested_->place.reset();
}

void Call::again() {
    // Also where a failure has ended the last start (abandon).
    if (is_revoked(communicator_->hidden())) throw MpiError{code_of_revoked};
    if (broken_) throw MpiError{MPI_ERR_OTHER};
    communicator_->check_not_broken();
    count();
    communicator_->drop_sent();
    for (const Fill& fill : requested_->fills) fill();
    start();
}

void Call::adopt(MPI_Request request) {
    Requested& mine = *requested_;
    mine.tags = communicator_->join_without_tag();
    mine.joined = true;
    mine.by_library = request;
}

// True when it is done.
bool Call::step_of_library(bool may_block) {
    MPI_Request& request = *requested_->by_library;
    int ended = 1;
    check_mpi(may_block ? native().Wait(&request, MPI_STATUS_IGNORE)
                        : native().Test(&request, &ended, MPI_STATUS_IGNORE));
    return ended != 0;
}

bool Call::progress(bool may_block) {
    Requested& mine = *requested_;
    if (mine.by_library && !step_of_library(may_block)) return false;
    while (mine.under_way) {
        try {
            if (!step(may_block)) return false;
        } catch (const Truncated&) {
            mine.under_way = false;
            mine.running.reset();
            throw;
        } catch (...) {
            broken_ = true;
            throw;
        }
        mine.under_way = false;
        if (!persists()) mine.running.reset();
        Then then = std::exchange(mine.then, {});
        const auto keep_it = [&] {
            if (!mine.under_way && persists()) mine.then = std::move(then);
        };
        try {
            if (then) then();
        } catch (...) {
            keep_it();
            throw;
        }
        keep_it();
    }
    write_back();
    if (mine.timed) mine.timed->ended();
    return true;
}

}  // namespace eco
