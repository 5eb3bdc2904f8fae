// SPDX-License-Identifier: BSD-3-Clause
// What calls take that did not run: by the MPI library where ECO ran them, and by ECO where the
// library did. From what was timed, in this job or before, scaled to the call by the simulator;
// else from the simulator alone, if it is known how far that errs. Pure. Used by the job's report
// and by `eco plan`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "eco/learn/learned.h"
#include "eco/schedule/collective.h"
#include "eco/simulate/simulate.h"
#include "eco/topology/hierarchy.h"
#include "eco/topology/network.h"
#include "eco/topology/profile.h"

namespace eco {

// What an estimate rests on, the surest first (docs/report.md).
enum class Basis {
    ran,         // the calls themselves ran so: no estimate
    timed_here,  // timed in this job
    timed,       // timed earlier, by `eco measure`, `eco tune` or earlier jobs
    predicted,   // simulated, and it was measured how far that errs
    unknown,     // neither: nothing is claimed
};
const char* to_text(Basis basis);
Basis parse_basis(const std::string& text);  // throws Error

// Seconds that something takes: most likely, and the range in which nine of ten are.
struct TimeRange {
    Seconds low = 0, likely = 0, high = 0;

    static TimeRange about(Seconds likely, double error) {
        return {likely / (1 + error), likely, likely * (1 + error)};
    }
    TimeRange times(double factor) const { return {low * factor, likely * factor, high * factor}; }
};

struct CallEstimate {
    TimeRange time;  // of one call; zeros if unknown
    Basis basis = Basis::unknown;

    bool known() const { return basis != Basis::unknown; }
};

// Calls of one operation and size on one communicator.
struct CallKind {
    std::string operation;
    Bytes bytes = 0;    // -1: not known to all ranks
    Bytes learned = 0;  // the least of the class that it is learned in
    bool near = true, hosts_shared = false;
    std::string choice;            // ECO's, in written form
    std::vector<int> host_of;      // per rank, in the profile's hosts
    std::map<Rank, long> roots{};  // how many calls had which; empty: there is none
    std::string structure{};       // Hierarchy's

    int ranks() const { return static_cast<int>(host_of.size()); }
};

class CallEstimator {
public:
    // profile: as it was measured, not its runtime part, which has no times. library: the one that
    // runs ("openmpi 5.0.11"). now: learned in this job; before: by earlier ones.
    CallEstimator(const Profile& profile, const std::string& library,
                  std::vector<LearnedClass> now = {}, std::vector<LearnedClass> before = {});

    // What a call takes natively, and by kind.choice; took: what it takes by the other of the two,
    // for where only the ratio is known; 0: not known.
    CallEstimate native(const CallKind& kind, Seconds took = 0);
    CallEstimate with_eco(const CallKind& kind, Seconds took = 0);

    // The quickest topology-unaware baseline, and the choice, by simulation alone: the mean over
    // the calls' roots. Nothing: they cannot be simulated, or that would take too long.
    std::optional<Seconds> baseline(const CallKind& kind);
    std::optional<Seconds> simulated(const CallKind& kind, const Choice& choice);

private:
    std::vector<Choice> baselines(const CallKind& kind);
    const Hierarchy& hierarchy_of(const std::vector<int>& host_of);
    CallKind kind_of(const Tuned& tuned, const CallKind& like) const;
    TimeRange scaled(const Tuned& tuned, const CallKind& kind);
    std::optional<CallEstimate> tuned_native(const CallKind& kind);
    std::optional<CallEstimate> tuned_eco(const CallKind& kind);
    std::optional<CallEstimate> predicted_native(const CallKind& kind);
    std::optional<double> tuned_ratio(const CallKind& kind) const;

    template <typename Counts>
    std::vector<const Tuned*> neighbours(const CallKind& kind, Counts counts) const;

    const Profile& profile_;
    std::vector<Tuned> tuning_;  // that counts for the library
    std::vector<LearnedClass> now_, before_;
    std::optional<Network> network_;
    std::map<std::vector<int>, Hierarchy> hierarchies_;
    std::map<std::tuple<std::string, Bytes, std::string, Rank, std::vector<int>>, Seconds> known_;
    double work_ = 0;  // messages simulated so far
};

}  // namespace eco
