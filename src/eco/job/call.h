// SPDX-License-Identifier: BSD-3-Clause
// One collective call of the program: whether ECO takes it, with which choice, and its run. Used by
// every wrapper.
#pragma once

#include <type_traits>
#include <vector>

#include "eco/job/communicator.h"
#include "eco/mpi/datatype.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

// Within a catch: what was thrown, as an MPI error code, by way of the communicator's error
// handler. An Error ends the job with a line that says why. Memory that is short on this rank alone
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

class Call {
public:
    Call(Operation operation, MPI_Comm comm, const void* site) noexcept
        : operation_(operation), comm_(comm), site_(site) {}
    // Wherever the wrapper returns: the call is over.
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // First of all. False where only the native function will do, whatever the size.
    bool begin() { return (communicator_ = communicator_of(comm_)) != nullptr; }

    int size() const { return communicator_->size(); }
    Rank rank() const { return communicator_->rank(); }
    bool is_rank(int root) const { return root >= 0 && root < size(); }
    MPI_Comm comm() const { return comm_; }
    Communicator& communicator() const { return *communicator_; }

    // Whether ECO takes a message of this size (-1: not known to all ranks). Remembers the choice.
    // bits_may_change: whether the result is the same in whatever order the operator is applied.
    bool takes(Bytes bytes, bool commutative = true, bool bits_may_change = true);

    // Of the choice, for gather and scatter (planners/planner.h).
    bool passes_blocks_on() const;

    // Into how many the choice cuts a block.
    int segments() const;

    // Runs the schedule for this root. reduction: what combine() does, as MPI calls it. Throws
    // MpiError.
    void run(const Layout& layout, Rank root = 0, const Combine& combine = {},
             const Reduction& reduction = {});
    void run(const Prepared& prepared, const Layout& layout, const Combine& combine = {},
             const Reduction& reduction = {});

    // The program's buffers as the host may touch them: themselves, or where a device's memory
    // begins there, copies in room(), told from the same address. What is written to them goes to
    // the device when the call has ended well. stays: what is not written must be as it was.
    const void* readable(const void* buffer, Reach reach);
    void* writable(void* buffer, Reach reach, bool stays);
    void write_back();

    // Memory for this call, freed with it; kept for good where an error left messages under way.
    std::byte* room(Bytes bytes);
    bool is_lost() const { return lost_; }

    // Within a catch, before failed(), whose error handler may free the communicator.
    void fail() noexcept;

private:
    void end() noexcept;

    Operation operation_;
    MPI_Comm comm_;
    const void* site_;
    Communicator* communicator_ = nullptr;
    const Choice* choice_ = nullptr;
    Lesson* timed_ = nullptr;
    bool commutative_ = true, lost_ = false;
    std::vector<Storage> rooms_;
    struct OnDevice {
        std::byte* device;
        const std::byte* copy;
        const std::byte* before;  // what was there, if some of it stays; else null
        Bytes bytes;
    };
    std::vector<OnDevice> written_;
};

// A wrapper: take(call) does the call and says so, or says that the library is to; false only if
// all ranks say so. The native function runs outside of the guard: what a program's error handler
// throws through it is the program's.
template <typename NativeCall, typename Take>
int run_call(Operation operation, MPI_Comm comm, const void* site, NativeCall run_native,
             Take take) {
    Call call(operation, comm, site);
    try {
        if (call.begin() && take(call)) {
            call.write_back();
            return MPI_SUCCESS;
        }
    } catch (...) {
        call.fail();
        return failed(comm);
    }
    return run_native();
}

// Blocks of equal length one after the other.
void set_blocks(Layout& layout, Bytes length, Bytes input_stride, Bytes output_stride);

#define ECO_SITE __builtin_return_address(0)

}  // namespace eco
