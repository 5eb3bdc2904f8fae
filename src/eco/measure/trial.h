// SPDX-License-Identifier: BSD-3-Clause
// One collective operation at one size, ready to be called again and again as a program calls it,
// of the library alone or through ECO with any choice. Used by tune and bench.
#pragma once

#include <string>
#include <vector>

#include "eco/job/communicator.h"
#include "eco/mpi/datatype.h"

namespace eco {

class Trial {
public:
    // bytes: of the message; for gather, scatter, allgather and all-to-all of each block.
    Trial(Operation operation, Bytes bytes, MPI_Comm comm);

    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    // What calls through ECO run from now on. Collective. Throws Error where the communicator
    // cannot run it.
    void use(const Choice& choice);

    // A call through ECO's wrapper, as of a program that was started with it, and one of the
    // library as if ECO were not there. Collective. Throw MpiError.
    void run(Rank root);
    void run_native(Rank root);

    bool supports(const Choice& choice) const;

    // What a wrapper would ask the chooser with: the message size, or -1.
    Bytes known_bytes() const;

    Communicator& communicator() { return *communicator_; }

private:
    void run(const Native& mpi, Rank root);

    Operation operation_;
    Bytes bytes_;
    MPI_Comm comm_;
    Communicator* communicator_;
    int ranks_, rank_;
    std::vector<double> input_, output_;
    std::vector<int> counts_, places_;  // bytes, for the v forms
    std::vector<int> element_counts_;   // of reduce_scatter
    std::vector<MPI_Datatype> types_;
    Choice used_;
};

// Whether the library has a function for it: what MPI has not cannot be timed beside it.
bool can_time(Operation operation);

// Elapsed seconds of each run as the slowest rank saw it; the same on all ranks.
std::vector<Seconds> slowest(const std::vector<Seconds>& own, MPI_Comm comm);

Seconds median(std::vector<Seconds> samples);

// A communicator of all ranks: "near" (ring order) or "scattered:SEED".
MPI_Comm ordered_world(const std::string& order);

}  // namespace eco
