// SPDX-License-Identifier: BSD-3-Clause
// One collective operation at one size, in one of MPI's forms, ready to be called many times
// as a program calls it, by the library alone or by ECO with any choice. Used by tune and
// bench.
#pragma once

#include <string>
#include <vector>

#include "eco/job/communicator.h"
#include "eco/mpi/datatype.h"
#include "eco/report/call_form.h"

namespace eco {

// What a rank does between a call that does not block and its wait.
struct Work {
    Seconds time = 0;
    Seconds between_tests = 0;  // calls of MPI_Test; 0: it calls nothing
};

class Trial {
public:
    // bytes: of the message; for gather, scatter, allgather and all-to-all of each block.
    // Collective.
    Trial(Operation operation, Bytes bytes, MPI_Comm comm, CallForm form = CallForm::blocking);

    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    // What calls through ECO run from now on. Collective. Throws Error where the communicator
    // cannot run it.
    void use(const Choice& choice);

    // A call through ECO's wrapper, as of a program that was started with it, or, alone, of the
    // library as if ECO were not there. prepare and finish: what comes before and after a
    // persistent one is started. Collective. Throw MpiError.
    void prepare(bool alone, Rank root);
    void run(bool alone, Rank root, const Work& work = {});
    void finish();

    CallForm form() const { return form_; }
    bool supports(const Choice& choice) const;

    // By itself; native where it leaves such a call to the library.
    Choice chosen() const;

    // What a wrapper would ask the chooser with: the message size, or -1.
    Bytes known_bytes() const;

    Communicator& communicator() { return *communicator_; }

private:
    void call(bool alone, Rank root);
    void wait(const Native& mpi, const Work& work);

    Operation operation_;
    CallForm form_;
    Bytes bytes_;
    MPI_Comm comm_;
    Communicator* communicator_;
    int ranks_, rank_;
    std::vector<double> input_, output_;
    std::vector<int> counts_, places_;  // bytes, for the v forms
    std::vector<int> element_counts_;   // of reduce_scatter
    std::vector<MPI_Datatype> types_;
    Choice used_;
    MPI_Request request_;
};

// Whether the library has a function for it: what MPI has not cannot be timed beside it.
bool can_time(Operation operation);

// Elapsed seconds of each run as the slowest rank saw it; the same on all ranks.
std::vector<Seconds> slowest(const std::vector<Seconds>& own, MPI_Comm comm);

// Of an even number the mean of the middle two (upper_median takes the upper one).
Seconds median(std::vector<Seconds> samples);

// A communicator of all ranks: "near" (ring order) or "scattered:SEED". connects: each to each
// other, so that the library need not while it is timed.
MPI_Comm ordered_world(const std::string& order, bool connects = true);

}  // namespace eco
