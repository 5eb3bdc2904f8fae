// SPDX-License-Identifier: BSD-3-Clause
// From times and predictions of earlier runs: the time of the MPI library's own collective for
// one class of calls, and of ECO's choice, or at least their ratio. Pure. Called by the job's
// report.
#pragma once

#include <string>
#include <vector>

#include "eco/learn/learned.h"
#include "eco/topology/profile.h"

namespace eco {

// What an estimate rests on, the surest first.
enum class Basis {
    ran,      // the calls themselves ran natively
    job,      // both ran in this job and were timed
    earlier,  // both were timed earlier, by tuning or by earlier jobs
    model,    // predicted, at least in part
    none,     // nothing is known: taken as equal
};
const char* to_text(Basis basis);
Basis parse_basis(const std::string& text);  // throws Error

struct CallKind {
    std::string operation;
    Bytes bytes = 0;    // -1: not known to all ranks
    Bytes learned = 0;  // the least of the class that it is learned in
    bool near = true, hosts_shared = false;
    int ranks = 0;
    int everywhere = 0;  // ranks on each of the profile's hosts; 0: not on all, or not as many
    std::string choice;  // written form
};

struct NativeTime {
    double ratio = 1;             // native over the choice
    Seconds native = 0, eco = 0;  // of one call; 0: only the ratio is known
    Basis basis = Basis::none;

    // What a call that took so long with ECO would have taken natively. A call that ECO is slow
    // with, by its own fault or as the program uses it, makes native no slower.
    Seconds natively(Seconds took) const { return native > 0 ? native : took * ratio; }
    // And the other way round.
    Seconds with_eco(Seconds took) const { return eco > 0 ? eco : took / ratio; }
};

// now: learned in this job; before: by earlier ones; tuning: of the library that runs.
NativeTime native_time(const CallKind& kind, const std::vector<LearnedClass>& now,
                       const std::vector<LearnedClass>& before, const std::vector<Tuned>& tuning);

}  // namespace eco
