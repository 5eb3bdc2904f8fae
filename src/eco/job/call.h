// SPDX-License-Identifier: BSD-3-Clause
// One collective call of the program: whether ECO takes it, with which choice, and its run. Used by
// every wrapper.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "eco/job/communicator.h"
#include "eco/job/mismatch.h"
#include "eco/job/pending_calls.h"
#include "eco/job/persistent_calls.h"
#include "eco/mpi/datatype.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

// Within a catch: what was thrown, as an MPI error code. An Error ends the job with a line that
// says why.
int code_of_failure();

// The same by way of the communicator's error handler. Memory that is short on this rank alone
// cannot be agreed upon: the call fails with MPI_ERR_NO_MEM, by default ending the job; where the
// handler returns, the communicator is lost (communicator.h).
int failed(MPI_Comm comm);

// What ECO does of its own in a C function: nothing that is thrown gets out of it. The body may
// return an MPI error code.
template <typename Body>
int guarded(MPI_Comm comm, Body body) {
    try {
        if constexpr (std::is_void_v<decltype(body())>)
            body();
        else
            return body();
        return MPI_SUCCESS;
    } catch (...) {
        return failed(comm);
    }
}

// The same for what all ranks of comm do together: if memory is short here, others may wait for
// this rank forever, and comm is lost.
template <typename Body>
int guarded_together(MPI_Comm comm, Body body) {
    return guarded(comm, [&] {
        try {
            return body();
        } catch (const MpiError&) {
            throw;
        } catch (...) {
            mark_broken(comm);
            throw;
        }
    });
}

// make() is the library's: what all ranks of `parent` do to make `comm` of it.
template <typename Make>
int made_of(MPI_Comm parent, const MPI_Comm* comm, Make make) {
    int code = guarded(parent, [&] { check_not_broken(parent); });
    if (code == MPI_SUCCESS) code = make();
    if (code == MPI_SUCCESS) expect_nonblocking(parent, *comm);
    return code;
}

// Where in the program a call was made; and where its request goes, if it does not block. That of
// a persistent one is started again and again.
struct Caller {
    const void* site;
    MPI_Request* request = nullptr;
    bool persistent = false;
};

class Call {
public:
    // What is left to do when a schedule has run.
    using Then = std::function<void()>;
    // What copies from the program's buffers before it runs.
    using Fill = std::function<void()>;

    Call(Operation operation, MPI_Comm comm, const Caller& caller)
        : operation_(operation),
          comm_(comm),
          caller_(caller),
          requested_(caller.request ? std::make_unique<Requested>() : nullptr) {}
    // A blocking call is over wherever the wrapper returns.
    ~Call() {
        end();
        if (requested_) end_requested();
        if (broken_) {
            [[maybe_unused]] const auto* kept = memory_.release();
        }
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // First of all. False where only the native function will do, whatever the size.
    bool begin();

    bool blocks() const { return !requested_; }
    bool persists() const { return caller_.persistent; }
    // Whether the call may block on other ranks.
    bool may_block() const { return blocks() || persists(); }
    int size() const { return communicator_->size(); }
    Rank rank() const { return communicator_->rank(); }
    // Of a call with a root, before all else: false if that is no rank.
    bool has_root(int root) {
        root_ = root;
        return root >= 0 && root < size();
    }
    // For packing. The program may free its own before a call that does not block is over.
    MPI_Comm comm() const { return blocks() ? comm_ : communicator_->hidden(); }
    Communicator& communicator() const { return *communicator_; }

    // Whether ECO takes a message of this size (-1: not known to all ranks). Remembers the choice.
    // order_insensitive: whether the result has the same bits in whatever order the operator is
    // applied; also true of what does not reduce.
    bool takes(Bytes bytes, bool commutative = true, bool order_insensitive = true);

    // The same of a plan of several multicasts, if there is one. bytes: for the report.
    bool takes(const Multicasting* plan, Bytes bytes);

    // Whether the choice passes blocks on, for gather and scatter (planners/planner.h).
    bool passes_blocks_on() const;

    // Whether a schedule that nothing chose by takes() may multicast; the same on all ranks, and
    // collective the first time. Then, before run(), that it does.
    bool may_mcast();
    void set_mcast();

    // Whether a call that does not block runs a schedule that multicasts.
    bool multicasts() const { return requested_ && requested_->mcast_calls; }

    // Into how many the choice cuts a block.
    int segments() const;

    // Does this now, and a persistent call does it whenever it is started: for what a schedule
    // reads and the program may have changed. type: of what it copies.
    void fill(Fill copy);
    void fill(const Type& type, Fill copy) {
        if (persists()) hold(type);
        fill(std::move(copy));
    }

    // For the report: what runs it; nothing if it is native. count() counts it: one that blocks
    // when it is over, a persistent one at each start, others at once. Starts of native ones are
    // not seen, so they count at once as well.
    void note(Bytes bytes, const std::string* runs);
    void count() noexcept;

    // Runs the schedule for this root, then `then`, which may run another. A call that blocks has
    // done both when this returns; else they follow once it has been started, and all that they
    // name must be kept or be the program's. reduction: what combine() does, as MPI calls it.
    // Throws MpiError.
    void run(Layout layout, Rank root, Then then = {}, Combine combine = {},
             const Reduction& reduction = {});
    void run(const Prepared& prepared, Layout layout, Then then = {}, Combine combine = {},
             const Reduction& reduction = {});

    // Of a call that has a request: before it is started for the first time.
    void get_place_of_pending() { requested_->place_of_pending.emplace(); }

    // A call that does not block, once its wrapper has said what runs. Each throws what a run that
    // fails throws. progress: true when all is over; waits for that where it may block, but for the
    // turn of what multicasts.
    // A persistent one starts with its last schedule again: what others have told of lengths stays
    // true. again() is for every start.
    void start();
    void again();
    bool progress(bool may_block = false);
    // Whether progress can wait now: not while what multicasts waits for its turn.
    bool may_wait() const;

    // What the library is to run, and ECO has to time: its request becomes part of one of ECO's.
    bool times_native() const { return requested_ && requested_->timed && !choice_; }
    void adopt(MPI_Request request);

    // Kept until the call is over; for good where an error left messages under way.
    template <typename T>
    T& keep(T value) {
        auto& kept = memory().kept;
        kept.emplace_back(nullptr, [](void* old) { delete static_cast<T*>(old); });
        kept.back().reset(new T(std::move(value)));
        return *static_cast<T*>(kept.back().get());
    }

    // Until the call is over the program may free these, but the library must not. Only what a
    // program can free counts.
    void hold(const Type& type);
    void hold(MPI_Op op, const Type& type);
    bool needs_type(MPI_Datatype type) const;
    bool needs_operator(MPI_Op op) const {
        return requested_ && requested_->user_operator && *requested_->user_operator == op;
    }

    // The program's buffers as the host may touch them: themselves, or where a device's memory
    // begins there, copies in room(), told from the same address. What is written to them goes to
    // the device when the call has ended well. stays: what is not written must be as it was.
    const void* readable(const void* buffer, Reach reach);
    void* writable(void* buffer, Reach reach, bool stays);
    void write_back() {
        if (memory_) copy_to_device();
    }

    // Memory for this call, kept like all else.
    std::byte* room(Bytes bytes);

    // From now on errors on `comm` are handled as those of the program's communicator, if it has
    // not freed that.
    void inherit_errhandler(MPI_Comm comm) const noexcept;

    // Calls the error handler of the program's communicator, unless that was freed.
    void call_errhandler(int code) const {
        if (!communicator_->is_freed()) native().Comm_call_errhandler(comm_, code);
    }

    // Whether the program's communicator has been revoked, as far as this rank knows: then the
    // native function says so, but a schedule that only sends might not notice.
    bool on_revoked() const noexcept;

    // Maps an error code of the hidden communicator to one that is valid for the program's.
    int code_for_program(int code) const noexcept;

    // Drops the sample of this call: the learner may be destroyed before it ends.
    void drop_sample() noexcept { timed_ = nullptr; }

    // Within a catch, before failed(), whose error handler may free the communicator.
    void fail() noexcept;

private:
    void end() noexcept {
        if (timed_) end_lesson();
    }
    void end_lesson() noexcept;
    void end_requested() noexcept;
    void copy_to_device();
    bool may_use_devices();
    void prepare(const Prepared& prepared, Layout layout, Then then, Combine combine,
                 const Reduction& reduction);
    void note_choice(Bytes bytes);
    void join_multicasts();
    void make_running();
    void say(const Mismatch& mismatch) const;
    bool step(bool may_block);
    bool step_of_multicast(bool may_block);
    void end_multicast();
    bool step_of_library(bool may_block);
    void leave_queue() noexcept;

    struct OnDevice {
        std::byte* device;
        const std::byte* copy;
        const std::byte* before;  // what was there, if some of it stays; else null
        Bytes bytes;
    };
    struct Memory {
        std::vector<Storage> rooms;
        std::vector<OnDevice> written;
        std::vector<std::unique_ptr<void, void (*)(void*)>> kept;
    };
    // What a call that has a request needs until it is over.
    struct Requested {
        Choice choice;
        std::shared_ptr<const Prepared> prepared;
        std::vector<int> tags;              // of its schedules
        const Prepared* program = nullptr;  // of the last one
        Reduction reduction{};
        std::vector<Fill> fills;
        std::size_t used_tags = 0;
        McastCalls* mcast_calls = nullptr;  // if it multicasts: those that it is one of
        std::optional<McastCalls::Place> place;
        std::optional<PlaceOfPending> place_of_pending;
        bool joined = false, started = false, under_way = false;
        std::vector<MPI_Datatype> types;
        std::optional<MPI_Op> user_operator;
        std::shared_ptr<TimedCall> timed;       // null if it is not
        std::optional<MPI_Request> by_library;  // what runs the call in ECO's place
        Layout layout;
        Combine combine;
        Then then;
        std::unique_ptr<RunningCall> running;  // uses all of the above; a persistent call keeps it
    };
    Memory& memory() {
        if (!memory_) memory_ = std::make_unique<Memory>();
        return *memory_;
    }

    // A call that the library runs makes and ends one of these, so the rest is made when needed.
    Operation operation_;
    bool commutative_ = true, broken_ = false;
    Bytes bytes_ = -1;                     // as all ranks must have it
    std::optional<bool> may_use_devices_;  // asked once: it takes longer than all else here
    MPI_Comm comm_;
    Caller caller_;
    Communicator* communicator_ = nullptr;
    const Choice* choice_ = nullptr;
    Lesson* timed_ = nullptr;
    Seconds entered_ = 0;
    Rank root_ = -1;  // -1: it has none
    struct Noted {
        Bytes bytes;
        std::string choice;
    };
    std::unique_ptr<Noted> noted_;
    std::unique_ptr<Memory> memory_;
    std::unique_ptr<Requested> requested_;  // null if it blocks
};

// All ranks leave a call to the library, late.
struct LeftToLibrary {};

// A wrapper: take(call) does the call and says so, or says that the library is to; false only if
// all ranks say so. The native function runs outside of the guard: what a program's error handler
// throws through it is the program's.
// A call that does not block has then been prepared, and is started here.
template <typename NativeCall, typename Take>
int run_call(Operation operation, MPI_Comm comm, const Caller& caller, NativeCall run_native,
             Take take) {
    if (caller.request) {
        std::unique_ptr<Call> call;
        try {
            call = std::make_unique<Call>(operation, comm, caller);
            if (call->begin() && take(*call)) {
                if (caller.persistent)
                    make_persistent(call, caller.request);
                else
                    start_pending(call, caller.request);
                return MPI_SUCCESS;
            }
        } catch (const LeftToLibrary&) {
        } catch (...) {
            if (call)
                call->fail();
            else
                mark_broken(comm);
            return failed(comm);
        }
        const int code = run_native();
        if (code == MPI_SUCCESS && call && call->times_native()) time_pending(call, caller.request);
        return code;
    }
    Call call(operation, comm, caller);
    try {
        if (call.begin() && take(call)) {
            call.write_back();
            call.count();
            return MPI_SUCCESS;
        }
    } catch (...) {
        call.fail();
        // Other ranks, where nothing failed, count it too. What handles the error may free the
        // communicator.
        call.count();
        return failed(comm);
    }
    const int code = run_native();
    // If it failed, its error handler may have freed the communicator, and its lessons with it.
    if (code == MPI_SUCCESS)
        call.count();
    else
        call.drop_sample();
    return code;
}

#define ECO_SITE __builtin_return_address(0)

}  // namespace eco
