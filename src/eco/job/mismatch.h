// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one call that give unlike lengths, roots or operators may run unlike schedules, and then
// wait for each other forever. A rank that has waited for long looks whether such a peer has sent
// it something. Used by RunningCall, for calls whose messages all go by MPI.
//
// What proves it: the messages of a schedule have tags that begin at a place of its own
// (place_of_schedule), within the tags of the call. So a message with a tag of this very call that
// is none of the schedule's comes from a rank that runs another one. A rank that is only late has
// sent nothing.
#pragma once

#include "eco/mpi/mpi_transport.h"

namespace eco {

// The call is lost: MPI_ERR_TRUNCATE.
struct Mismatch : MpiError {
    Mismatch() : MpiError(MPI_ERR_TRUNCATE) {}
    // What was seen; rank -1: another rank has found it and said so.
    Rank peer = -1;
    Bytes bytes = 0;
};

class MismatchCheck : public Patience {
public:
    // comm: ECO's own. first_tag: of the call; its schedule's messages to this rank have `tags`
    // tags from first_own on.
    MismatchCheck(MPI_Comm comm, int first_tag, int first_own, int tags)
        : comm_(comm), first_tag_(first_tag), first_own_(first_own), tags_(tags) {}

    // Throws Mismatch, having told all other ranks of comm that this one has given up the call.
    void look() override;

private:
    bool another_gave_up() const;
    void tell_all(Rank me, int ranks);

    MPI_Comm comm_;
    int first_tag_, first_own_, tags_;
};

}  // namespace eco
