// SPDX-License-Identifier: BSD-3-Clause
// What a communicator makes when a choice first needs it, by all its ranks: hidden communicators,
// numbers for rails and multicasts, the agreement that progress works, its neighbourhood.
#include <algorithm>

#include "eco/base/error.h"
#include "eco/job/communicator.h"
#include "eco/job/job_report.h"
#include "eco/job/native_inside.h"
#include "eco/job/neighbourhood.h"
#include "eco/job/pending_calls.h"
#include "eco/mpi/process_failure.h"
#include "eco/mpi/progress_hook.h"
#include "eco/mpi/quiet.h"
#include "eco/mpi/threads.h"

namespace eco {

// MPI libraries have about 2,000 contexts for all communicators; the rest are the program's.
static constexpr int most_hidden = 500;

// Of what all ranks do together on a communicator of ECO's: others may be in it if a process
// failed; and after any other failure here, which they may not have had, they wait for this rank.
bool Communicator::worked(int code) {
    if (code == MPI_SUCCESS) return true;
    abandon(code);
    if (!says_that_a_process_failed(code)) throw MpiError{code};
    return false;
}

// Of all ranks; 0 if that cannot be known. Collective over comm.
int Communicator::least_of_all(MPI_Comm comm, int own) {
    const Native& mpi = native();
    int all = 0;
    return worked(mpi.Allreduce(&own, &all, 1, mpi.int32, mpi.min, comm)) ? all : 0;
}

bool Communicator::make_hidden() {
    bool made = false;
    try {
        made = create_hidden();
    } catch (...) {
        usable_ = false;
        throw;
    }
    if (!made) usable_ = false;
    return made;
}

// Made first, then agreed upon: a rank may fail alone, or hold too many of them.
bool Communicator::create_hidden() {
    const Native& mpi = native();
    Session& here = *session();
    const bool has_room = here.hidden_communicators < most_hidden;
    // The program's handler must not be told of a failure that native calls would not have had.
    const Quiet quiet(comm_);
    MPI_Group group{};
    if (const int code = mpi.Comm_group(comm_, &group); !worked(code)) return false;
    // Not a duplicate, which would call the program's attribute callbacks.
    const bool made = mpi.Comm_create(comm_, group, &hidden_) == MPI_SUCCESS;
    mpi.Group_free(&group);
    if (!made) hidden_ = mpi.comm_null;
    // With the same message: what is known of the network.
    const int known = here.known_of_network;
    const int least = least_of_all(comm_, made && has_room ? 1 + known : 0);
    if (least == 0) {
        if (made && !failed_) mpi.Comm_free(&hidden_);
        hidden_ = mpi.comm_null;
        if (here.settings.verbose > 0)
            complain_once(
                "on some communicators collectives are native: no more communicators can "
                "be made for ECO");
        return false;
    }
    mpi.Comm_set_errhandler(hidden_, mpi.errors_return);
    ++here.hidden_communicators;
    network_check_.inherit(static_cast<NetworkCheck::Known>(least - 1));
    // By another thread, which did not see this one yet.
    if (is_revoked(comm_)) revoke_own();
    return true;
}

bool Communicator::ready(const Choice& choice) {
    if (!ready() || (choice.rails > 0 && !make_rails())) return false;
    if (choice.is_mcast() && !make_mcast()) return false;
    if (!choice.native_inside()) return true;
    if (state_of_inside_ == State::none) make_inside();
    return state_of_inside_ == State::made;
}

void Communicator::make_inside() {
    const Native& mpi = native();
    state_of_inside_ = State::refused;
    if (!may_split_hidden(session()->where)) return;
    const bool has_room = session()->hidden_communicators < most_hidden;
    inside_ranks_ = innermost(hierarchy_.top, rank_).ranks;
    const int colour = inside_ranks_.size() > 1 ? inside_ranks_.front() : MPI_UNDEFINED;
    std::sort(inside_ranks_.begin(), inside_ranks_.end());
    const bool made = mpi.Comm_split(hidden_, colour, rank_, &inside_) == MPI_SUCCESS;
    if (!made) inside_ = mpi.comm_null;
    if (!all_agree(hidden_, made && has_room)) {
        if (inside_ != mpi.comm_null && !failed_) mpi.Comm_free(&inside_);
        inside_ = mpi.comm_null;
        return;
    }
    state_of_inside_ = State::made;
    if (inside_ == mpi.comm_null) return;
    mpi.Comm_set_errhandler(inside_, mpi.errors_return);
    ++session()->hidden_communicators;
}

// So many calls may be under way at once before the first one's tags come again.
static constexpr int least_calls = 256;

static bool progress_hook_unsafe_with_threads() {
    return !progress_hook_goes_with_threads && threads_call_at_once();
}

// Needs ready(). On this rank.
bool Communicator::hook_works() {
    return !progress_hook_unsafe_with_threads() && tags_.calls() >= least_calls &&
           progress_hook_works(hidden_, rank_);
}

void Communicator::settle_nonblocking() {
    const Native& mpi = native();
    nonblocking_ = Asked::refused;
    const Session& here = *session();
    if (here.settings.nonblocking == Nonblocking::off || !ready()) return;
    const bool threads = progress_hook_unsafe_with_threads();
    const bool all = all_agree(hidden_, hook_works());
    if (failed_) return;
    if (all) nonblocking_ = Asked::works;
    if (all && here.mcast.channel) make_mcast();
    if (all && here.rails.open) make_rails();
    if (!all && here.settings.verbose > 0)
        complain_once(threads
                          ? "non-blocking collectives are native: with MPI_THREAD_MULTIPLE this "
                            "MPI library does not let ECO make progress while it waits"
                          : "non-blocking collectives are native: this MPI library does not "
                            "call ECO while it waits");
    int kind = MPI_UNDEFINED;
    if (!worked(mpi.Topo_test(comm_, &kind))) return;
    if (all && kind != MPI_UNDEFINED && here.settings.choice != "native") neighbourhood();
}

Neighbourhood* Communicator::known_neighbourhood() const {
    return neighbourhood_ && neighbourhood_->usable() ? neighbourhood_.get() : nullptr;
}

Neighbourhood* Communicator::neighbourhood() {
    if (!can_predict()) return nullptr;
    // Without a measured model nothing is known of media, on which everything hangs here: then
    // neither edges are gathered nor plans made, nor the network built.
    const auto& model = session()->profile.model;
    const bool assumed = !model || model->assumed;
    if (session()->settings.choice == "auto" && assumed) return nullptr;
    if (!ready()) return nullptr;
    try {
        if (!neighbourhood_) neighbourhood_ = std::make_unique<Neighbourhood>(comm_, *this);
    } catch (const MpiError& error) {
        abandon(error.code);
        throw;
    }
    return neighbourhood_->usable() ? neighbourhood_.get() : nullptr;
}

// That no other communicator has, given out by rank 0. 0, and not usable any more, where MPI
// failed.
std::uint64_t Communicator::number_of_its_own() {
    Session& here = *session();
    int number[2] = {here.world_rank, 0};
    if (rank_ == 0) {
        const std::lock_guard lock(here.mutex);
        number[1] = ++here.contexts;
    }
    const Native& mpi = native();
    usable_ = worked(mpi.Bcast(number, 2, mpi.int32, 0, hidden_));
    if (!usable_) return 0;
    return static_cast<std::uint64_t>(number[0]) << 32 | static_cast<std::uint64_t>(number[1]);
}

bool Communicator::make_rails() {
    if (!session()->rails.open) return false;
    if (rails_.number == 0) rails_.number = number_of_its_own();
    return rails_.number != 0;
}

bool Communicator::make_mcast() {
    if (!session()->mcast.channel) return false;
    if (mcast_->made()) return true;
    const std::uint64_t number = number_of_its_own();
    if (number != 0) make(*mcast_, number, 0, mcast_status_tag, mcast_answer_tag);
    return number != 0;
}

void Communicator::make(McastCalls& calls, std::uint64_t number, std::uint32_t first,
                        int status_tag, int answer_tag) {
    McastChannel& channel = *session()->mcast.channel;
    channel.know(number);
    const bool may_leave = session()->settings.nonblocking != Nonblocking::off && hook_works();
    calls.make(number, first,
               std::make_unique<McastMessages>(std::make_unique<MpiTransport>(hidden_), status_tag,
                                               answer_tag, channel.payload()),
               may_leave);
}

// Without communication: its number is the communicator's, with its tag above that. Calls with the
// same tag have been over for long, on all ranks, but a datagram of theirs may still come: so each
// begins with another call.
void Communicator::make_mcast_for_long(int first_tag) {
    auto calls = std::make_shared<McastCalls>();
    const std::uint64_t place = 1 + static_cast<std::uint64_t>(first_tag) / Tags::of_one_call;
    // Its programs' messages have tags below these, what is sent one by one has tags above.
    const int own_tag = first_tag + Tags::of_one_call / 2 - 2;
    make(*calls, mcast_->context().number | place << bits_of_numbers, mcasts_for_long_++ << 16,
         own_tag, own_tag + 1);
    const std::lock_guard lock(mutex_of_tags_);
    mcast_for_long_[first_tag] = std::move(calls);
}

McastCalls& Communicator::mcast_calls(int first_tag) {
    const std::lock_guard lock(mutex_of_tags_);
    return *mcast_for_long_.at(first_tag);
}

}  // namespace eco
