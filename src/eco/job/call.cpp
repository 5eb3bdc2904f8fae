// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/call.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "eco/base/error.h"
#include "eco/job/call_counts.h"
#include "eco/job/learning.h"
#include "eco/job/report.h"
#include "eco/mpi/device_memory.h"
#include "eco/mpi/operator.h"
#include "eco/planners/planner.h"

namespace eco {

void Call::end() noexcept {
    if (timed_) std::exchange(timed_, nullptr)->ended();
}

Call::~Call() {
    end();
    running_.reset();
    leave_queue();
    if (persists() && mcast_calls_) communicator_->end_mcast_for_long(tags_.front());
    if (joined_) communicator_->leave(tags_);
    if (!lost_) return;
    for (Storage& room : rooms_) static_cast<void>(room.release());
    for (auto& each : kept_) {
        [[maybe_unused]] const void* kept = each.release();
    }
}

bool Call::begin() {
    if (persists()) return (communicator_ = communicator_for_persistent(comm_)) != nullptr;
    if (!blocks()) return (communicator_ = communicator_for_nonblocking(comm_)) != nullptr;
    communicator_ = communicator_of(comm_);
    if (communicator_ && communicator_->wants_nonblocking()) communicator_->settle_nonblocking();
    if (counts_calls()) entered_ = Clocks::own();
    return communicator_ && communicator_->usable();
}

void Call::note(Bytes bytes, const std::string* runs) {
    if (!counts_calls()) return;
    noted_ = Noted{bytes, runs ? *runs : "native"};
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
               commutative_, entered_);
}

void Call::hold(const Type& type) {
    if (!blocks() && !type.predefined) types_.push_back(type.handle);
}

void Call::hold(MPI_Op op, const Type& type) {
    hold(type);
    if (!blocks() && !is_predefined(op)) operator_ = op;
}

bool Call::needs_type(MPI_Datatype type) const {
    return std::find(types_.begin(), types_.end(), type) != types_.end();
}

std::byte* Call::room(Bytes bytes) {
    rooms_.push_back(allocate(bytes));
    return rooms_.back().get();
}

const void* Call::readable(const void* buffer, Reach reach) {
    std::byte* start = bytes_at(buffer, reach.from);
    if (reach.bytes <= 0 || !may_have_device_memory() || !is_device_memory(start)) return buffer;
    std::byte* copy = room(reach.bytes);
    fill([=] { copy_device_memory(copy, start, reach.bytes); });
    return copy - reach.from;
}

void* Call::writable(void* buffer, Reach reach, bool stays) {
    std::byte* start = bytes_at(buffer, reach.from);
    if (reach.bytes <= 0 || !may_have_device_memory() || !is_device_memory(start)) return buffer;
    std::byte* copy = room(reach.bytes);
    std::byte* before = nullptr;
    if (stays) {
        before = room(reach.bytes);
        fill([=] {
            copy_device_memory(copy, start, reach.bytes);
            std::memcpy(before, copy, static_cast<std::size_t>(reach.bytes));
        });
    }
    written_.push_back({start, copy, before, reach.bytes});
    return copy - reach.from;
}

// Between what a call receives the program may write meanwhile: only bytes that have changed go
// back, however few they are.
void Call::write_back() {
    for (const OnDevice& each : written_) {
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

void Call::lend_errhandler(MPI_Comm comm) const noexcept {
    const Native& mpi = native();
    MPI_Errhandler handler{};
    if (communicator_->outlives() || mpi.Comm_get_errhandler(comm_, &handler) != MPI_SUCCESS)
        return;
    mpi.Comm_set_errhandler(comm, handler);
    mpi.Errhandler_free(&handler);
}

void Call::fail() noexcept {
    end();
    try {
        throw;
    } catch (const MpiError& error) {
        // What the library refused, or what run() has seen to.
        if (!blocks() && lost_) communicator_->abandon(error.code);
    } catch (...) {
        if (communicator_) communicator_->abandon();
    }
}

bool Call::takes(Bytes bytes, bool commutative, bool bits_may_change) {
    commutative_ = commutative;
    if (!blocks()) {
        choice_ = communicator_->choose_nonblocking(operation_, bytes, commutative, persists());
        if (choice_) choice_ = &(own_choice_ = *choice_);
        note_choice(bytes);
        return choice_ != nullptr;
    }
    const bool free = bits_may_change || session()->settings.learn == Learn::all;
    try {
        choice_ = communicator_->choose(operation_, bytes, commutative, free, &timed_);
    } catch (const MpiError& error) {
        communicator_->abandon(error.code);
        throw;
    }
    note_choice(bytes);
    return choice_ != nullptr;
}

void Call::fill(Fill copy) {
    if (persists())
        fills_.push_back(std::move(copy));
    else
        copy();
}

bool Call::passes_blocks_on() const {
    return eco::passes_blocks_on(*choice_, communicator_->hierarchy());
}

int Call::segments() const { return segments_of(*choice_); }

void Call::run(Layout layout, Rank root, Then then, Combine combine, const Reduction& reduction) {
    const Request request{operation_, &communicator_->hierarchy(), root, commutative_};
    if (!blocks()) {
        if (!prepared_) prepared_ = communicator_->shared_prepared(*choice_, request);
        return prepare(*prepared_, std::move(layout), std::move(then), std::move(combine),
                       reduction);
    }
    run(communicator_->prepared(*choice_, request), std::move(layout), std::move(then),
        std::move(combine), reduction);
}

// The tags of all its schedules are set by the order of calls, whenever each of them runs.
void Call::prepare(const Prepared& prepared, Layout layout, Then then, Combine combine,
                   const Reduction& reduction) {
    if (!joined_) {
        const bool by_lengths =
            operation_ == Operation::gatherv || operation_ == Operation::scatterv;
        const int schedules = by_lengths ? 2 : 1;
        tags_ =
            persists() ? communicator_->join_for_long(schedules) : communicator_->join(schedules);
        if (tags_.empty()) throw LeftToLibrary{};
        joined_ = true;
        if (choice_ && choice_->is_mcast()) join_multicasts();
    }
    running_.reset();
    program_ = &prepared;
    layout_ = std::move(layout);
    combine_ = std::move(combine);
    then_ = std::move(then);
    reduction_ = reduction;
    ++used_tags_;
    if (started_) start();
}

void Call::join_multicasts() {
    if (persists()) communicator_->make_mcast_for_long(tags_.front());
    mcast_calls_ =
        persists() ? &communicator_->mcast_calls(tags_.front()) : &communicator_->mcast_calls();
}

void Call::start() {
    started_ = true;
    if (!program_) return;
    under_way_ = true;
    if (multicasts()) {
        place_ = mcast_calls_->queue();
        return;
    }
    if (!running_) make_running();
    try {
        running_->start();
    } catch (...) {
        lost_ = true;
        throw;
    }
}

void Call::make_running() {
    running_ = communicator_->begin_at(tags_[used_tags_ - 1], mcast_calls_, *program_, layout_,
                                       combine_, reduction_);
}

// True when it is done.
bool Call::step(bool may_block) {
    if (multicasts()) return step_of_multicast();
    if (!may_block) return running_->progress();
    running_->finish();
    return true;
}

// What multicasts begins when its turn has come. Whoever is in a multicast of the same calls,
// further out in this thread or in another one, goes first.
bool Call::step_of_multicast() {
    if (!mcast_calls_->is_next(*place_)) return false;
    const OwnMcastTurn turn(mcast_calls_->context());
    if (!turn) return false;
    if (!running_) {
        make_running();
        running_->start();
    }
    if (!running_->progress()) return false;
    if (running_->is_behind()) communicator_->take_left(*mcast_calls_, std::move(running_));
    running_.reset();
    leave_queue();
    return true;
}

void Call::leave_queue() noexcept {
    if (place_) mcast_calls_->leave_queue();
    place_.reset();
}

void Call::again() {
    if (lost_) throw MpiError{MPI_ERR_OTHER};
    count();
    communicator_->drop_sent();
    for (const Fill& fill : fills_) fill();
    start();
}

bool Call::progress(bool may_block) {
    while (under_way_) {
        try {
            if (!step(may_block)) return false;
        } catch (const Truncated&) {
            under_way_ = false;
            running_.reset();
            throw;
        } catch (...) {
            lost_ = true;
            throw;
        }
        under_way_ = false;
        if (!persists()) running_.reset();
        Then then = std::exchange(then_, {});
        const auto keep_it = [&] {
            if (!under_way_ && persists()) then_ = std::move(then);
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
    return true;
}

void Call::run(const Prepared& prepared, Layout layout, Then then, Combine combine,
               const Reduction& reduction) {
    if (!blocks())
        return prepare(prepared, std::move(layout), std::move(then), std::move(combine), reduction);
    const Choice choice = choice_ ? *choice_ : Choice{};
    try {
        communicator_->run(choice, prepared, layout, combine, reduction);
    } catch (const Truncated&) {
        throw;
    } catch (const MpiError& error) {
        communicator_->abandon(error.code);
        lost_ = true;
        throw;
    } catch (...) {
        // What is left on the hidden communicator could be taken for a later call's.
        communicator_->abandon();
        lost_ = true;
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
        // MPICH's launcher would let them wait for ever.
        std::fprintf(stderr, "eco: rank %d on %s: %s; the job ends\n", rank, host, error.what());
        abort_job(error.code());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: rank %d on %s: %s\n", rank, host, error.what());
    } catch (...) {
    }
    return code;
}

int failed(MPI_Comm comm) {
    const int code = code_of_failure();
    native().Comm_call_errhandler(comm, code);
    return code;
}

void set_blocks(Layout& layout, Bytes length, Bytes input_stride, Bytes output_stride) {
    layout.length = [length](int) { return length; };
    layout.input_offset = [input_stride](int block) { return block * input_stride; };
    layout.output_offset = [output_stride](int block) { return block * output_stride; };
}

}  // namespace eco
