// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/call.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "eco/base/error.h"
#include "eco/base/say.h"
#include "eco/job/call_counts.h"
#include "eco/job/job_report.h"
#include "eco/job/learning.h"
#include "eco/job/multicasts.h"
#include "eco/mpi/device_memory.h"
#include "eco/mpi/operator.h"
#include "eco/mpi/process_failure.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/report/call_form.h"

namespace eco {

void Call::end_lesson() noexcept { std::exchange(timed_, nullptr)->ended(); }

bool Call::begin() {
    if (!blocks()) {
        communicator_ =
            persists() ? communicator_for_persistent(comm_) : communicator_for_nonblocking(comm_);
        return communicator_ != nullptr;
    }
    communicator_ = communicator_of(comm_);
    if (!communicator_) return false;
    if (communicator_->wants_nonblocking()) communicator_->settle_nonblocking();
    if (counts_calls()) entered_ = Clocks::own();
    return communicator_->usable();
}

void Call::note(Bytes bytes, const std::string* runs) {
    if (!counts_calls()) return;
    noted_ = std::make_unique<Noted>(Noted{bytes, runs ? *runs : "native"});
    if (!blocks() && (!runs || !persists())) count();
}

void Call::note_choice(Bytes bytes) {
    if (!counts_calls()) return;
    const std::string text = choice_ ? to_text(*choice_) : "";
    note(bytes, choice_ ? &text : nullptr);
}

void Call::count() noexcept {
    if (!noted_) return;
    end();
    const CallForm form = blocks()     ? CallForm::blocking
                          : persists() ? CallForm::persistent
                                       : CallForm::nonblocking;
    count_call(*communicator_, operation_, noted_->bytes, caller_.site, noted_->choice, form,
               commutative_, entered_, root_);
}

std::byte* Call::room(Bytes bytes) {
    auto& rooms = memory().rooms;
    rooms.push_back(allocate(bytes));
    return rooms.back().get();
}

bool Call::may_use_devices() {
    if (!may_use_devices_) may_use_devices_ = may_have_device_memory();
    return *may_use_devices_;
}

const void* Call::readable(const void* buffer, Reach reach) {
    std::byte* start = bytes_at(buffer, reach.from);
    if (reach.bytes <= 0 || !may_use_devices() || !is_device_memory(start)) return buffer;
    std::byte* copy = room(reach.bytes);
    fill([=] { copy_device_memory(copy, start, reach.bytes); });
    return copy - reach.from;
}

void* Call::writable(void* buffer, Reach reach, bool stays) {
    std::byte* start = bytes_at(buffer, reach.from);
    if (reach.bytes <= 0 || !may_use_devices() || !is_device_memory(start)) return buffer;
    std::byte* copy = room(reach.bytes);
    std::byte* before = nullptr;
    if (stays) {
        before = room(reach.bytes);
        fill([=] {
            copy_device_memory(copy, start, reach.bytes);
            std::memcpy(before, copy, static_cast<std::size_t>(reach.bytes));
        });
    }
    memory().written.push_back({start, copy, before, reach.bytes});
    return copy - reach.from;
}

// Between what a call receives the program may write meanwhile: only bytes that have changed go
// back, however few they are.
void Call::copy_to_device() {
    for (const OnDevice& each : memory_->written) {
        if (!each.before) {
            copy_device_memory(each.device, each.copy, each.bytes);
            continue;
        }
        const auto end = each.copy + each.bytes;
        for (const std::byte *at = each.copy, *old = each.before; at != end;) {
            const auto [first, same] = std::mismatch(at, end, old);
            if (first == end) break;
            const auto [last, other] =
                std::mismatch(first, end, same, [](std::byte a, std::byte b) { return a != b; });
            copy_device_memory(each.device + (first - each.copy), first, last - first);
            at = last;
            old = other;
        }
    }
}

void Call::inherit_errhandler(MPI_Comm comm) const noexcept {
    const Native& mpi = native();
    MPI_Errhandler handler{};
    if (communicator_->is_freed() || mpi.Comm_get_errhandler(comm_, &handler) != MPI_SUCCESS)
        return;
    mpi.Comm_set_errhandler(comm, handler);
    mpi.Errhandler_free(&handler);
}

int Call::code_for_program(int code) const noexcept {
    return communicator_->is_freed() ? code : eco::code_for_program(comm_, code);
}

bool Call::on_revoked() const noexcept { return is_revoked(comm_); }

// One line by whoever finds it out; the others are told and say nothing.
void Call::say(const Mismatch& mismatch) const {
    if (mismatch.peer < 0) return;
    std::string name(traits(operation_).name);
    name = name_in_form(name, blocks()     ? CallForm::blocking
                              : persists() ? CallForm::persistent
                                           : CallForm::nonblocking);
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    const std::string length = bytes_ < 0 ? "" : " with " + std::to_string(bytes_) + " B";
    eco::say("rank " + std::to_string(session()->world_rank) + ": MPI_" + name + length +
             " waits for messages that nobody will send: rank " +
             std::to_string(communicator_->world_rank(mismatch.peer)) + " sent " +
             std::to_string(mismatch.bytes) +
             " B for this call by another schedule; all ranks must call the same function with "
             "the same length, root and operator");
}

void Call::fail() noexcept {
    end();
    try {
        throw;
    } catch (const Mismatch& mismatch) {
        communicator_->abandon();
        try {
            say(mismatch);
        } catch (const std::bad_alloc&) {
            // Then the error code alone tells.
        }
    } catch (const MpiError& error) {
        // Else what the library refused, or what run() has seen to.
        if (communicator_ && ((!blocks() && broken_) || says_that_a_process_failed(error.code)))
            communicator_->abandon(error.code);
    } catch (...) {
        if (communicator_)
            communicator_->abandon();
        else
            mark_broken(comm_);
    }
}

bool Call::takes(Bytes bytes, bool commutative, bool order_insensitive) {
    commutative_ = commutative;
    bytes_ = bytes;
    const bool may_vary = order_insensitive || session()->settings.learn == Learn::all;
    if (!blocks()) {
        choice_ =
            communicator_->choose_nonblocking(operation_, bytes, commutative, may_vary, persists(),
                                              persists() ? nullptr : &requested_->timed);
        if (choice_ && on_revoked()) {
            choice_ = nullptr;
            requested_->timed.reset();
        }
        if (choice_ && !communicator_->can_hold(*choice_, operation_, bytes, commutative)) {
            choice_ = nullptr;
            requested_->timed.reset();
        }
        if (choice_) choice_ = &(requested_->choice = *choice_);
        note_choice(bytes);
        return choice_ != nullptr;
    }
    try {
        choice_ = communicator_->choose(operation_, bytes, commutative, may_vary, &timed_);
    } catch (const MpiError& error) {
        communicator_->abandon(error.code);
        throw;
    }
    if (choice_ &&
        (on_revoked() || !communicator_->can_hold(*choice_, operation_, bytes, commutative))) {
        choice_ = nullptr;
        timed_ = nullptr;  // what the library takes is not this choice's time
    }
    note_choice(bytes);
    return choice_ != nullptr;
}

static const Choice& by_mcast() {
    // Never destroyed, as what follows: a collective at exit may come after it would be.
    static const auto& choice = *new Choice(Family::mcast, 1);
    return choice;
}

bool Call::may_mcast() {
    return blocks() ? communicator_->ready(by_mcast())
                    : communicator_->can_progress(by_mcast(), persists());
}

void Call::set_mcast() { choice_ = &by_mcast(); }

bool Call::takes(const Multicasting* plan, Bytes bytes) {
    bool takes = false;
    if (plan && plan->prepared && !blocks()) {
        takes = communicator_->takes_nonblocking(operation_, *plan, persists(), &requested_->timed);
        if (on_revoked()) {
            takes = false;
            requested_->timed.reset();
        }
    } else if (plan && plan->prepared) {
        try {
            takes = communicator_->takes(operation_, *plan, &timed_) && !on_revoked();
        } catch (const MpiError& error) {
            communicator_->abandon(error.code);
            throw;
        }
    }
    if (takes && plan->by_mcast) set_mcast();
    note(bytes, takes ? &plan->name : nullptr);
    return takes;
}

bool Call::passes_blocks_on() const {
    return eco::passes_blocks_on(*choice_, communicator_->hierarchy());
}

int Call::segments() const { return segments_of(*choice_); }

void Call::run(Layout layout, Rank root, Then then, Combine combine, const Reduction& reduction) {
    const Request request{operation_, &communicator_->hierarchy(), root, commutative_};
    if (!blocks()) {
        if (!requested_->prepared)
            requested_->prepared = communicator_->shared_prepared(*choice_, request);
        return prepare(*requested_->prepared, std::move(layout), std::move(then),
                       std::move(combine), reduction);
    }
    // Before what follows, which may fail on this rank alone.
    const auto noted = [this, &then] {
        communicator_->note_fallback();
        if (then) then();
    };
    try {
        run(communicator_->prepared(*choice_, request), std::move(layout), noted,
            std::move(combine), reduction);
    } catch (const Truncated&) {
        communicator_->note_fallback();
        throw;
    }
}

void Call::run(const Prepared& prepared, Layout layout, Then then, Combine combine,
               const Reduction& reduction) {
    if (!blocks())
        return prepare(prepared, std::move(layout), std::move(then), std::move(combine), reduction);
    static const auto& none = *new Choice;
    try {
        communicator_->run(choice_ ? *choice_ : none, prepared, layout, combine, reduction);
    } catch (const Truncated&) {
        throw;
    } catch (const MpiError& error) {
        communicator_->abandon(error.code);
        broken_ = true;
        throw;
    } catch (...) {
        // What is left on the hidden communicator could be taken for a later call's.
        communicator_->abandon();
        broken_ = true;
        throw;
    }
    if (then) then();
}

int code_of_failure() {
    const Native& mpi = native();
    int code = MPI_ERR_INTERN, rank = 0, length = 0;
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    mpi.Comm_rank(mpi.comm_world, &rank);
    mpi.Get_processor_name(host, &length);
    try {
        throw;
    } catch (const MpiError& error) {
        code = error.code;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "eco: rank %d on %s: out of memory in a collective\n", rank, host);
        code = MPI_ERR_NO_MEM;
    } catch (const Error& error) {
        // Other ranks wait for what will not come. If the error handler ended this rank alone,
        // MPICH's launcher would let them wait forever.
        std::fprintf(stderr, "eco: rank %d on %s: %s; the job ends\n", rank, host, error.what());
        abort_job(error.code());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: rank %d on %s: %s\n", rank, host, error.what());
    } catch (...) {
    }
    return code;
}

#if !defined(OPEN_MPI)
// MPICH's MPI_Comm_call_errhandler ends this rank alone where errors are fatal, and its launcher
// then waits for the others; its collectives end the job.
static bool is_fatal(MPI_Comm comm) {
    MPI_Errhandler handler{};
    if (native().Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return false;
    const bool fatal = handler == native().errors_are_fatal;
    native().Errhandler_free(&handler);
    return fatal;
}
#endif

int failed(MPI_Comm comm) {
    const int code = code_for_program(comm, code_of_failure());
#if !defined(OPEN_MPI)
    if (is_fatal(comm)) {
        int rank = 0, length = 0;
        char text[MPI_MAX_ERROR_STRING + 1] = "";  // there may be no memory for a string
        native().Comm_rank(native().comm_world, &rank);
        native().Error_string(code, text, &length);
        std::fprintf(stderr, "eco: rank %d: %s\n", rank, text);
        native().Abort(comm, code);
    }
#endif
    native().Comm_call_errhandler(comm, code);
    return code;
}

}  // namespace eco
