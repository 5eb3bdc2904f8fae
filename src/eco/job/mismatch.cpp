// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/mismatch.h"

#include "eco/mpi/tags.h"

namespace eco {

// Seen and not received: other calls' looks may run beside this one, and the communicator is lost.
bool MismatchCheck::another_gave_up() const {
    int there = 0;
    check_mpi(native().Iprobe(MPI_ANY_SOURCE, first_tag_ + Tags::of_end, comm_, &there,
                              MPI_STATUS_IGNORE));
    return there != 0;
}

// Nobody waits for these, and they have no bytes that would have to stay.
void MismatchCheck::tell_all(Rank me, int ranks) {
    const Native& mpi = native();
    for (Rank other = 0; other < ranks; ++other) {
        if (other == me) continue;
        MPI_Request request{};
        check_mpi(
            mpi.Isend(nullptr, 0, mpi.byte, other, first_tag_ + Tags::of_end, comm_, &request));
        check_mpi(mpi.Request_free(&request));
    }
}

void MismatchCheck::look() {
    const Native& mpi = native();
    if (another_gave_up()) throw Mismatch{};
    int me = 0, ranks = 0;
    check_mpi(mpi.Comm_rank(comm_, &me));
    check_mpi(mpi.Comm_size(comm_, &ranks));
    // Of each the one that was sent first: those before have all been received.
    for (Rank peer = 0; peer < ranks; ++peer) {
        int there = 0, bytes = 0;
        MPI_Status status{};
        check_mpi(mpi.Iprobe(peer, MPI_ANY_TAG, comm_, &there, &status));
        if (!there) continue;
        const int tag = status.MPI_TAG;
        if (tag == first_tag_ + Tags::of_end) throw Mismatch{};
        const bool of_this_call = tag >= first_tag_ && tag < first_tag_ + Tags::of_one_call;
        if (!of_this_call || (tag >= first_own_ && tag < first_own_ + tags_)) continue;
        check_mpi(mpi.Get_count(&status, mpi.byte, &bytes));
        tell_all(me, ranks);
        Mismatch found;
        found.peer = peer;
        found.bytes = bytes;
        throw found;
    }
}

}  // namespace eco
