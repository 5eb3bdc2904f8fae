// One collective call of the program: whether ECO takes it, with which choice, and its run. Used by
// every wrapper.
#pragma once

#include "eco/interpose/communicator.h"
#include "eco/interpose/datatype.h"
#include "eco/interpose/mpi_transport.h"

namespace eco {

// Within a catch: what was thrown, as an MPI error code, by way of the communicator's error
// handler. An Error ends the job with a line that says why.
int failed(MPI_Comm comm);

class Call {
public:
    Call(Operation operation, MPI_Comm comm, const void* site)
        : operation_(operation), comm_(comm), site_(site), communicator_(communicator_of(comm)) {}
    // Wherever the wrapper returns: the call is over.
    ~Call() { end(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // False where only the native function will do, whatever the size.
    explicit operator bool() const { return communicator_ != nullptr; }

    int size() const { return communicator_->size(); }
    Rank rank() const { return communicator_->rank(); }
    bool is_rank(int root) const { return root >= 0 && root < size(); }
    MPI_Comm comm() const { return comm_; }
    Communicator& communicator() const { return *communicator_; }

    // Whether ECO takes a message of this size (-1: not known to all ranks). Remembers the choice.
    // bits_may_change: whether the result is the same in whatever order the operator is applied.
    bool takes(Bytes bytes, bool commutative = true, bool bits_may_change = true);

    // Of the choice, for gather and scatter (plan/planner.h).
    bool passes_blocks_on() const;

    // Into how many the choice cuts a block.
    int segments() const;

    // Runs the schedule for this root. reduction: what combine() does, as MPI calls it. Throws
    // MpiError.
    void run(const Layout& layout, Rank root = 0, const Combine& combine = {},
             const Reduction& reduction = {});
    void run(const Prepared& prepared, const Layout& layout, const Combine& combine = {},
             const Reduction& reduction = {});

    // Calls the body; turns what it throws into an MPI error code, by way of the communicator's
    // error handler.
    template <typename Body>
    int guard(Body body) {
        try {
            body();
            return MPI_SUCCESS;
        } catch (...) {
            // The error handler may free the communicator.
            end();
            return failed(comm_);
        }
    }

private:
    void end();

    Operation operation_;
    MPI_Comm comm_;
    const void* site_;
    Communicator* communicator_;
    const Choice* choice_ = nullptr;
    Lesson* timed_ = nullptr;
    bool commutative_ = true;
};

// Blocks of equal length one after the other.
void set_blocks(Layout& layout, Bytes length, Bytes input_stride, Bytes output_stride);

#define ECO_SITE __builtin_return_address(0)

}  // namespace eco
