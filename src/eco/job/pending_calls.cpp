// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/pending_calls.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "eco/job/call.h"
#include "eco/job/persistent_calls.h"
#include "eco/mpi/datatype.h"
#include "eco/mpi/operator.h"
#include "eco/mpi/own_request.h"
#include "eco/mpi/progress_hook.h"
#include "eco/mpi/tags.h"

namespace eco {

namespace {

// Either has a request of ECO's, or is persistent.
struct PendingCall {
    std::unique_ptr<Call> call;
    OwnRequest* request = nullptr;
    PersistentCall* persistent = nullptr;
    bool waited_for = false;  // run by the thread that waits for it, and by nobody else

    Call& get() const { return persistent ? persistent->call() : *call; }
    MPI_Request handle() const { return persistent ? persistent->handle() : request->handle; }
};

// One at a time, and never from within itself: what moves calls on calls MPI, and is called from
// there. Outside of a poll whoever changes the lists calls no MPI function meanwhile, so that
// waiting for it ends.
std::atomic<bool> busy = false;
thread_local bool moving = false;  // by this thread
void drain_deferred_frees() noexcept;
class Busy {
public:
    Busy() {
        while (busy.exchange(true)) sched_yield();
    }
    ~Busy() {
        busy = false;
        drain_deferred_frees();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
};

// Made without an allocation, which could fail, and not destroyed at exit, when messages may still
// be under way into what these hold.
template <typename T>
T& immortal() {
    alignas(T) static std::byte room[sizeof(T)];
    static T* one = new (room) T;
    return *one;
}

struct Lists {
    std::vector<PendingCall> calls;
    std::size_t next = 0;  // to be moved on first
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Op> operators;  // freed by the program while calls need them
    std::vector<Communicator*> with_left;
};
Lists& lists() { return immortal<Lists>(); }

// What the program frees while another thread has the lists, which may take long: a step runs the
// program's operators, and they may wait for a lock of the caller's (Python's, with mpi4py).
// Whoever lets go of the lists sees to it.
struct Asked {
    std::mutex mutex;
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Op> operators;
};
Asked& asked_to_free() { return immortal<Asked>(); }
std::atomic<bool> asked = false;       // for that, or to look what nobody needs any more
std::atomic<std::size_t> places = 0;   // in the list of calls that are there or may come to be
std::atomic<std::size_t> waiting = 0;  // calls, communicators; and one while a self-check runs

void (*tell)() = nullptr;

// Each poll moves so many at most, in turn, so that one step of the library's stays short.
constexpr std::size_t most_at_once = 8;

template <typename Needs>
bool some_call(Needs needs) {
    const auto& calls = lists().calls;
    return std::any_of(calls.begin(), calls.end(),
                       [&](const PendingCall& each) { return needs(each.get()); }) ||
           some_persistent(needs);
}

bool needs_type(const Call& call, MPI_Datatype type) { return call.needs_type(type); }
bool needs_operator(const Call& call, MPI_Op op) { return call.needs_operator(op); }

template <typename Handle, typename Needs>
bool take_unneeded(std::vector<Handle>& freed, Needs needs, Handle& taken) {
    const auto found = std::find_if(freed.begin(), freed.end(), [&](Handle handle) {
        return !some_call([&](const Call& call) { return needs(call, handle); });
    });
    if (found == freed.end()) return false;
    taken = *found;
    freed.erase(found);
    return true;
}

struct Unneeded {
    MPI_Datatype type{};
    MPI_Op op{};
    enum { none, a_type, an_operator } is = none;

    void free() {
        if (is == a_type) native().Type_free(&type);
        if (is == an_operator) native().Op_free(&op);
    }
};

// While this thread has the lists.
Unneeded take_one_unneeded() {
    Unneeded one;
    if (take_unneeded(lists().types, needs_type, one.type))
        one.is = Unneeded::a_type;
    else if (take_unneeded(lists().operators, needs_operator, one.op))
        one.is = Unneeded::an_operator;
    return one;
}

// Within a poll. The program's callbacks may free more.
void free_unneeded() {
    for (Unneeded one = take_one_unneeded(); one.is; one = take_one_unneeded()) one.free();
}

// If there is no memory to remember it, it is never freed.
template <typename Handle>
void keep_to_free(std::vector<Handle>& list, Handle handle) noexcept {
    try {
        list.push_back(handle);
    } catch (const std::bad_alloc&) {
    }
}

void take_asked() noexcept {
    Asked& from = asked_to_free();
    const std::lock_guard lock(from.mutex);
    for (const MPI_Datatype type : from.types) keep_to_free(lists().types, type);
    for (const MPI_Op op : from.operators) keep_to_free(lists().operators, op);
    from.types.clear();
    from.operators.clear();
}

// Waits for nobody: who has the lists looks again when it has let go of them. One after the other,
// and freed when others may have the lists.
void drain_deferred_frees() noexcept {
    while (asked && !busy.exchange(true)) {
        asked = false;
        take_asked();
        Unneeded one = take_one_unneeded();
        busy = false;
        if (!one.is) continue;
        one.free();
        asked = true;
    }
}

// True when it is over, for better or worse.
bool has_ended(Call& call, int& code, bool may_block = false) noexcept {
    try {
        return call.progress(may_block);
    } catch (...) {
        call.fail();
        code = call.code_for_program(code_of_failure());
        return true;
    }
}

// A message to itself, sent and taken from within the library's progress.
struct SelfCheck {
    MPI_Comm comm;
    int rank;
    OwnRequest* request;
    int value = 4711, got = 0;
    MPI_Request messages[2]{};
    bool started = false, over = false;
    std::atomic<int> moves = 0;

    void move() {
        const Native& mpi = native();
        if (over) return;
        ++moves;
        if (!started) {
            started = true;
            over = mpi.Irecv(&got, 1, mpi.int32, rank, self_check_tag, comm, &messages[0]) ||
                   mpi.Isend(&value, 1, mpi.int32, rank, self_check_tag, comm, &messages[1]);
            return;
        }
        int ended = 1;
        for (MPI_Request& message : messages)
            if (ended && message != mpi.request_null) mpi.Test(&message, &ended, MPI_STATUS_IGNORE);
        if (!ended) return;
        over = true;
        complete(*request);
    }
};
SelfCheck* self_check = nullptr;

// Of one that is no longer in the list.
void end_call(PendingCall& over, int code) noexcept {
    if (over.persistent) return over.persistent->end(code);
    over.call.reset();
    if (moving)
        free_unneeded();
    else
        free_what_nobody_needs();
    over.request->code = code;
    complete(*over.request);
}

int move_some() noexcept {
    if (self_check) self_check->move();
    auto& calls = lists().calls;
    auto& next = lists().next;
    auto& with_left = lists().with_left;
    int moved = 0;
    waiting -= std::erase_if(with_left, [](Communicator* each) { return !each->move_left(); });
    for (std::size_t left = std::min(calls.size(), most_at_once); left > 0; --left) {
        next = next < calls.size() ? next : 0;
        const auto place = calls.begin() + static_cast<std::ptrdiff_t>(next);
        int code = MPI_SUCCESS;
        if (place->waited_for || !has_ended(place->get(), code)) {
            ++next;
            continue;
        }
        PendingCall over = std::move(*place);
        calls.erase(place);
        --waiting;
        ++moved;
        end_call(over, code);
    }
    return moved;
}

// Marks the call of this request; null if it is none of ECO's that can be waited for.
Call* take_to_wait_for(MPI_Request handle) {
    const Busy nobody_else;
    for (PendingCall& each : lists().calls) {
        if (each.handle() != handle) continue;
        if (!each.get().may_wait()) return nullptr;
        each.waited_for = true;
        return &each.get();
    }
    return nullptr;
}

void end_waiting_for(const Call& call, int code) {
    PendingCall over;
    {
        const Busy nobody_else;
        auto& calls = lists().calls;
        const auto place = std::find_if(calls.begin(), calls.end(), [&](const PendingCall& each) {
            return &each.get() == &call;
        });
        over = std::move(*place);
        calls.erase(place);
        --waiting;
    }
    end_call(over, code);
}

Polled poll() noexcept {
    if (waiting.load(std::memory_order_relaxed) == 0) return {0, true};
    if (busy.exchange(true)) return {};
    moving = true;
    const int moved = move_some();
    moving = false;
    const bool idle = waiting == 0;
    busy = false;
    drain_deferred_frees();
    return {moved, idle};
}

// Whether a message to itself comes by progress of the hook: within so many rounds of it.
bool try_out(MPI_Comm own, int rank) {
    constexpr int most_rounds = 1000;
    constexpr std::chrono::milliseconds least_time{200};
    const Native& mpi = native();
    OwnRequest* request = start_own_request();
    if (!request) return false;
    MPI_Request handle = request->handle;
    SelfCheck check{own, rank, request};
    check.messages[0] = check.messages[1] = mpi.request_null;
    {
        const Busy nobody_else;
        self_check = &check;
    }
    ++waiting;
    int ended = 0;
    if (start_progress_hook(poll)) {
        // Another thread may have the lists meanwhile, and no processor.
        const auto soon = std::chrono::steady_clock::now() + least_time;
        for (int round = 0;
             !ended && (round < most_rounds ||
                        (check.moves < most_rounds && std::chrono::steady_clock::now() < soon));
             ++round)
            mpi.Test(&handle, &ended, MPI_STATUS_IGNORE);
    }
    {
        const Busy nobody_else;
        self_check = nullptr;
    }
    --waiting;
    remove_progress_hook();
    if (ended) return check.got == check.value;
    for (MPI_Request& message : check.messages)
        if (message != mpi.request_null) mpi.Wait(&message, MPI_STATUS_IGNORE);
    if (!check.over) complete(*request);
    mpi.Wait(&handle, MPI_STATUS_IGNORE);
    return false;
}

}  // namespace

bool progress_hook_works(MPI_Comm own, int rank) {
    static const bool works = try_out(own, rank);
    return works;
}

PlaceOfPending::PlaceOfPending() {
    auto& calls = lists().calls;
    const Busy nobody_else;
    if (calls.capacity() <= places) calls.reserve(2 * places + 8);
    ++places;
}

PlaceOfPending::~PlaceOfPending() { --places; }

void start_pending(std::unique_ptr<Call>& call, MPI_Request* handle) {
    call->get_place_of_pending();
    OwnRequest* request = start_own_request();
    if (!request) throw std::bad_alloc();
    MPI_Request started = request->handle;
    try {
        call->start();
    } catch (...) {
        complete(*request);
        native().Wait(&started, MPI_STATUS_IGNORE);
        throw;
    }
    *handle = started;
    tell_of_requests();
    const bool multicasts = call->multicasts();
    {
        const Busy nobody_else;
        lists().calls.push_back({std::move(call), request, nullptr});
        ++waiting;
    }
    start_progress_hook(poll);
    if (multicasts) move_pending();  // what leaves first need not wait for another call
}

void time_pending(std::unique_ptr<Call>& call, MPI_Request* handle) noexcept {
    if (*handle == native().request_null) return;
    OwnRequest* request = nullptr;
    try {
        call->get_place_of_pending();
        call->adopt(*handle);
        request = start_own_request();
    } catch (const std::bad_alloc&) {
    }
    if (!request) return;
    *handle = request->handle;
    tell_of_requests();
    {
        const Busy nobody_else;
        lists().calls.push_back({std::move(call), request, nullptr});
        ++waiting;
    }
    start_progress_hook(poll);
}

int wait_for_request(MPI_Request* handle, MPI_Status* status) {
    if (waiting > 0 && !moving && handle)
        if (Call* call = take_to_wait_for(*handle)) {
            int code = MPI_SUCCESS;
            // Until then another thread has the turn of what multicasts.
            while (!has_ended(*call, code, true)) sched_yield();
            end_waiting_for(*call, code);
        }
    return native().Wait(handle, status);
}

void at_first_request(void (*tell_it)()) { tell = tell_it; }

void tell_of_requests() {
    static std::once_flag once;
    if (tell) std::call_once(once, tell);
}

void add_pending(PersistentCall& call) noexcept {
    {
        const Busy nobody_else;
        lists().calls.push_back({nullptr, nullptr, &call});
        ++waiting;
    }
    start_progress_hook(poll);
}

void free_what_nobody_needs() {
    if (moving) return;
    asked = true;
    drain_deferred_frees();
}

void start_moving_left(Communicator& communicator) {
    const auto add = [&communicator] {
        auto& with_left = lists().with_left;
        if (std::find(with_left.begin(), with_left.end(), &communicator) != with_left.end()) return;
        with_left.push_back(&communicator);
        ++waiting;
    };
    // From there the hook goes on by itself.
    if (moving) return add();
    {
        const Busy nobody_else;
        add();
    }
    start_progress_hook(poll);
}

void stop_moving_left(Communicator& communicator) {
    const Busy nobody_else;
    waiting -= std::erase(lists().with_left, &communicator);
}

void move_pending() { static_cast<void>(poll()); }

// may_free: not what is an error to free, which the library must see at once.
template <typename Handle, typename Needs, typename MayFree>
static bool free_later(std::vector<Handle> Lists::* list, std::vector<Handle> Asked::* asked_list,
                       Handle handle, Needs needs, MayFree may_free) {
    if (waiting == 0 && !has_persistent()) return false;
    const auto keep = [&] {
        if (!some_call([&](const Call& call) { return needs(call, handle); })) return false;
        keep_to_free(lists().*list, handle);
        return true;
    };
    // By the program's own callback, within a poll.
    if (moving) return keep();
    if (!busy.exchange(true)) {
        const bool kept = keep();
        busy = false;
        drain_deferred_frees();
        return kept;
    }
    if (!may_free(handle)) return false;
    {
        const std::lock_guard lock(asked_to_free().mutex);
        keep_to_free(asked_to_free().*asked_list, handle);
    }
    asked = true;
    drain_deferred_frees();
    return true;
}

bool free_type_later(MPI_Datatype type) {
    return free_later(&Lists::types, &Asked::types, type, needs_type, [](MPI_Datatype each) {
        return each != native().datatype_null && !Type(each).predefined;
    });
}

bool free_operator_later(MPI_Op op) {
    return free_later(&Lists::operators, &Asked::operators, op, needs_operator,
                      [](MPI_Op each) { return each != native().op_null && !is_predefined(each); });
}

void end_pending() noexcept {
    remove_progress_hook();
    // Messages may be under way in their memory.
    for (PendingCall& each : lists().calls) {
        [[maybe_unused]] const auto* kept = each.call.release();
    }
    lists().calls.clear();
    lists().with_left.clear();
    waiting = 0;
    asked = false;
}

}  // namespace eco
