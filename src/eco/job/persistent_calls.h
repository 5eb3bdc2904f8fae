// SPDX-License-Identifier: BSD-3-Clause
// The persistent collectives of this process (MPI_Bcast_init and so on). Turns a prepared call into
// a request of the program's that can be started again: a persistent receive of the library's, from
// this rank itself on a communicator of ECO's own. Starting it runs the call; when the call is
// complete, a message from this rank to itself completes the receive. So all functions of the
// library accept the request, and only those that start, free or cancel one must recognize it
// (preload/wrap_starts.cpp). Used by run_call.
#pragma once

#include <atomic>
#include <memory>

#include "eco/mpi/native.h"

namespace eco {

class Call;

// Freed with its request, or, if that was too early, when it is over.
class PersistentCall {
public:
    // Takes the call if it does not throw.
    explicit PersistentCall(std::unique_ptr<Call>& call);
    ~PersistentCall();
    PersistentCall(const PersistentCall&) = delete;
    PersistentCall& operator=(const PersistentCall&) = delete;

    Call& call() const { return *call_; }
    MPI_Request handle() const { return handle_; }

    // MPI_Start. Returns what that does; after an error the request is inactive.
    int start(MPI_Request* handle);
    // By progress, when the call is over: code says how.
    void end(int code) noexcept;

    // Started, and not waited for since.
    bool is_active() const;

private:
    int fail(int code, MPI_Request* handle);

    std::unique_ptr<Call> call_;
    MPI_Request handle_{};
    int tag_;
    std::atomic<bool> running_ = false;
};

// Takes the call. Throws MpiError and what else fails; then there is no request, and the call is
// the caller's.
void make_persistent(std::unique_ptr<Call>& call, MPI_Request* handle);

// What MPI_Start, MPI_Startall, MPI_Request_free and MPI_Cancel do from the first such request on.
int start_request(MPI_Request* handle);
int start_requests(int count, MPI_Request* handles);
int free_request(MPI_Request* handle);
int cancel_request(MPI_Request* handle);

bool has_persistent() noexcept;
bool some_persistent_needs(bool (*needs)(const Call& call, const void* what), const void* what);
template <typename Needs>
bool some_persistent(const Needs& needs) {
    return some_persistent_needs(
        [](const Call& call, const void* what) { return (*static_cast<const Needs*>(what))(call); },
        &needs);
}

// Before the session ends. What the program has not freed it may still free, but not start.
void end_persistent() noexcept;

}  // namespace eco
