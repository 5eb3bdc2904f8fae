// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/persistent_calls.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

#include "eco/job/call.h"
#include "eco/job/pending_calls.h"
#include "eco/mpi/own_self.h"

namespace eco {

namespace {

// Not destroyed at exit, when messages may still be under way; allocates nothing, because it is
// first needed where nothing may be thrown.
struct Known {
    std::mutex mutex;
    std::unordered_map<MPI_Request, PersistentCall*> calls;
    std::vector<int> free_tags;
    int tags = 0;
    MPI_Comm own{};  // this rank alone
    bool made = false;
    bool over = false;  // the session has ended
};
Known& known() {
    alignas(Known) static std::byte room[sizeof(Known)];
    static auto* all = new (room) Known;
    return *all;
}
std::atomic<std::size_t> alive = 0;

PersistentCall* find(MPI_Request handle) {
    const std::lock_guard lock(known().mutex);
    const auto place = known().calls.find(handle);
    return place == known().calls.end() ? nullptr : place->second;
}

PersistentCall* find_at(const MPI_Request* handle) {
    return handle && has_persistent() ? find(*handle) : nullptr;
}

// Not under the mutex of known(), which progress may take.
void make_own() {
    static std::mutex making;
    const std::lock_guard one_at_a_time(making);
    Known& here = known();
    if (here.made) return;
    here.own = make_own_self();
    here.made = true;
}

// As the library has it for a request that is none: class MPI_ERR_REQUEST, by its own handler.
template <typename Function>
int refuse(Function function) {
    MPI_Request none = native().request_null;
    return function(&none);
}

}  // namespace

PersistentCall::PersistentCall(std::unique_ptr<Call>& call) {
    call->get_place_of_pending();
    make_own();
    Known& here = known();
    const std::lock_guard lock(here.mutex);
    if (here.free_tags.empty()) here.free_tags.push_back(here.tags++);
    tag_ = here.free_tags.back();
    const Native& mpi = native();
    check_mpi(mpi.Recv_init(nullptr, 0, mpi.byte, 0, tag_, here.own, &handle_));
    try {
        here.calls.emplace(handle_, this);
    } catch (...) {
        mpi.Request_free(&handle_);
        throw;
    }
    here.free_tags.pop_back();
    call_ = std::move(call);
    ++alive;
}

PersistentCall::~PersistentCall() {
    Known& here = known();
    const std::lock_guard lock(here.mutex);
    here.calls.erase(handle_);
    --alive;
    try {
        here.free_tags.push_back(tag_);
    } catch (...) {
        // Then nobody uses it any more.
    }
}

bool PersistentCall::is_active() const {
    if (running_) return true;
    MPI_Status status;
    int ended = 0;
    native().Request_get_status(handle_, &ended, &status);
    // That of an inactive request says nothing; that of one which is over, that this rank sent.
    return !ended || status.MPI_SOURCE == 0;
}

int PersistentCall::start(MPI_Request* handle) {
    const Native& mpi = native();
    if (const int code = mpi.Start(handle); code != MPI_SUCCESS) return code;
    // A library may make another one of it.
    if (*handle != handle_) {
        const std::lock_guard lock(known().mutex);
        auto entry = known().calls.extract(handle_);
        entry.key() = handle_ = *handle;
        known().calls.insert(std::move(entry));
    }
    try {
        call_->again();
    } catch (...) {
        call_->fail();
        return fail(call_->code_for_program(code_of_failure()), handle);
    }
    running_ = true;
    bool over = false;
    try {
        // What multicasts sends its first part at once. Others have sent what they can; a library
        // that finds nothing more to do may give up the processor, which costs a short call a
        // good part of its time.
        over = call_->multicasts() && call_->progress();
    } catch (...) {
        call_->fail();
        const int code = code_of_failure();
        end(code);
        return MPI_SUCCESS;
    }
    if (over)
        end(MPI_SUCCESS);
    else
        add_pending(*this);
    return MPI_SUCCESS;
}

// The receive has been started, and there is nothing for it to wait for.
int PersistentCall::fail(int code, MPI_Request* handle) {
    const Native& mpi = native();
    const std::byte nothing{};
    mpi.Send(&nothing, 0, mpi.byte, 0, tag_, known().own);
    mpi.Wait(handle, MPI_STATUS_IGNORE);
    call_->call_errhandler(code);
    return code;
}

// The receive has room for no byte: one makes it fail as a message that is too long does.
void PersistentCall::end(int code) noexcept {
    const Native& mpi = native();
    const std::byte nothing{};
    if (code != MPI_SUCCESS) call_->inherit_errhandler(known().own);
    running_ = false;
    mpi.Send(&nothing, code == MPI_SUCCESS ? 0 : 1, mpi.byte, 0, tag_, known().own);
}

void make_persistent(std::unique_ptr<Call>& call, MPI_Request* handle) {
    auto made = std::make_unique<PersistentCall>(call);
    tell_of_requests();
    *handle = made.release()->handle();
}

int start_request(MPI_Request* handle) {
    PersistentCall* call = find_at(handle);
    if (!call) return native().Start(handle);
    if (known().over || call->is_active()) return refuse(native().Start);
    return call->start(handle);
}

int start_requests(int count, MPI_Request* handles) {
    const auto is_ours = [](MPI_Request handle) { return find(handle) != nullptr; };
    if (!handles || count <= 0 || !has_persistent()) return native().Startall(count, handles);
    for (MPI_Request *at = handles, *end = handles + count; at != end;) {
        MPI_Request* ours = std::find_if(at, end, is_ours);
        int code = MPI_SUCCESS;
        if (ours != at) code = native().Startall(static_cast<int>(ours - at), at);
        if (code == MPI_SUCCESS && ours != end) code = start_request(ours++);
        if (code != MPI_SUCCESS) return code;
        at = ours;
    }
    return MPI_SUCCESS;
}

int free_request(MPI_Request* handle) {
    PersistentCall* call = find_at(handle);
    // What it used is gone if the session has ended.
    if (!call || known().over) return native().Request_free(handle);
    if (call->is_active()) return refuse(native().Request_free);
    delete call;
    free_what_nobody_needs();
    return native().Request_free(handle);
}

// A collective cannot be cancelled.
int cancel_request(MPI_Request* handle) {
    if (!find_at(handle)) return native().Cancel(handle);
    return refuse(native().Cancel);
}

bool has_persistent() noexcept { return alive > 0; }

bool some_persistent_needs(bool (*needs)(const Call& call, const void* what), const void* what) {
    if (!has_persistent()) return false;
    const std::lock_guard lock(known().mutex);
    return std::any_of(known().calls.begin(), known().calls.end(),
                       [&](const auto& each) { return needs(each.second->call(), what); });
}

void end_persistent() noexcept {
    Known& here = known();
    const std::lock_guard lock(here.mutex);
    here.over = true;
    if (!here.made) return;
    // The requests stay: callbacks in MPI_Finalize may still free them.
    native().Comm_free(&here.own);
    here.made = false;
}

}  // namespace eco
