// SPDX-License-Identifier: BSD-3-Clause
// A function that the MPI library calls whenever it makes progress, so in every MPI call that waits
// or tests. Open MPI: opal_progress_register, which its own components use; MPICH from 4.3 on:
// MPIX_Async_start. Other libraries have none. job/pending_calls.h tests whether it works, and is
// the only caller.
#pragma once

namespace eco {

// What is called says whether the library need not call it again until the next start. It may call
// MPI, and is then called again from there.
struct Polled {
    int moved = 0;  // how much
    bool idle = false;
};
using Poll = Polled (*)() noexcept;

// From now on `poll` is called, by any thread. Always the same one; any number of times. Call it
// when there is something to do, after the poll can see it. False without a hook.
bool start_progress_hook(Poll poll) noexcept;

// Whether that goes with MPI_THREAD_MULTIPLE. In MPICH up to 5.0.2 what is called must not come to
// the library's progress again then: it would take a lock twice.
#if defined(OPEN_MPI)
inline constexpr bool progress_hook_goes_with_threads = true;
#else
inline constexpr bool progress_hook_goes_with_threads = false;
#endif

// Before MPI_Finalize.
void remove_progress_hook() noexcept;

}  // namespace eco
