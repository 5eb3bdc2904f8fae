// SPDX-License-Identifier: BSD-3-Clause
// The non-blocking calls of this process that are under way, and blocking calls that returned
// before late ranks had all data. Turns a prepared call into a request of the program's (a
// generalized request, which all of the library's functions accept), and advances it whenever the
// library makes progress (mpi/progress_hook.h). Used by run_call and by functions that free objects
// which a call may still need.
#pragma once

#include <memory>

#include "eco/mpi/native.h"

namespace eco {

class Call;
class Communicator;
class PersistentCall;

// Whether the library calls ECO in the midst of its own functions, and whether messages pass from
// there: tried out at the first question, on this rank alone, by a message to itself on `own`.
bool progress_hook_works(MPI_Comm own, int rank);

// Takes the call and starts it; from then on it is over when the request is. Throws what starting
// it throws; then there is no request, and the call is the caller's.
void start_pending(std::unique_ptr<Call>& call, MPI_Request* request);

// The same for a call that the library has started with this request, which becomes ECO's: so its
// end is seen. Does nothing where memory is short.
void time_pending(std::unique_ptr<Call>& call, MPI_Request* request) noexcept;

// From now on the library's progress moves on what calls of this communicator have left, until
// nothing is. The communicator says so before it goes.
void start_moving_left(Communicator& communicator);
void stop_moving_left(Communicator& communicator);

// MPI_Wait. Runs one of these calls as a blocking one would, where it may, so that the rank waits
// in the library itself for its messages; it is over before the library's own function is asked.
int wait_for_request(MPI_Request* handle, MPI_Status* status);

// Called once, before the first request of these calls, or of a persistent one, is the program's.
void at_first_request(void (*tell)());
void tell_of_requests();

// Moves a persistent call on that has been started, until it is over; then it is told so. There
// must be a place for it.
void add_pending(PersistentCall& call) noexcept;

// Memory to list a call under way in, for as long as this lives: starting it then needs none.
class PlaceOfPending {
public:
    PlaceOfPending();
    ~PlaceOfPending();
    PlaceOfPending(const PlaceOfPending&) = delete;
    PlaceOfPending& operator=(const PlaceOfPending&) = delete;
};

// A bounded part of what there is to do, for whoever waits outside of the library.
void move_pending();

// Whether a call under way, or a persistent one, needs it. Then whoever would free it must not: it
// is freed when the last such call is over.
bool free_type_later(MPI_Datatype type);
bool free_operator_later(MPI_Op op);

// When a call that may have needed something is gone.
void free_what_nobody_needs();

// Before the session ends: what is not over now never will be.
void end_pending() noexcept;

}  // namespace eco
