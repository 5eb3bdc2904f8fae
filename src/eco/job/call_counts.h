// SPDX-License-Identifier: BSD-3-Clause
// Counts and times the job's collectives if a report is requested (ECO_VERBOSE, ECO_REPORT). On all
// ranks alike: a call counts in its class, of which evenly spread samples are kept, so that at the
// end the report can say which ranks waited for which. On rank 0 of the job also where in the
// program the call was. Sends no message before the end. Used by call.h and job_report.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eco/planners/planner.h"
#include "eco/report/call_estimate.h"
#include "eco/report/call_form.h"

namespace eco {

class Communicator;

struct CallClass {
    std::uint64_t communicator;  // the same on all its ranks
    Operation operation;
    CallForm form;
    Bytes bytes;  // -1: not known to all ranks
    std::string choice;
    auto operator<=>(const CallClass&) const = default;
};

// Evenly spread over all calls so far; the same calls on all ranks.
class Samples {
public:
    void note(Seconds entered, Seconds left);
    long calls() const { return calls_; }
    const std::vector<std::pair<Seconds, Seconds>>& kept() const { return kept_; }

    // Fewer of them, as evenly spread.
    void thin();

private:
    static constexpr std::size_t most = 128;
    long calls_ = 0, stride_ = 1;
    std::vector<std::pair<Seconds, Seconds>> kept_;  // entered, left; own clock
};

struct Counted {
    Samples samples;
    std::optional<CallKind> kind;       // rank 0's
    std::map<const void*, long> sites;  // rank 0's: address in the program that called
};

using CallCounts = std::map<CallClass, Counted>;
CallCounts& call_counts();

// Whether anything is counted in this job.
bool counts_calls();

// The call began at `entered`, and is over unless it does not block. choice: its written form.
// root: -1 if it has none.
void count_call(Communicator& communicator, Operation operation, Bytes bytes, const void* site,
                const std::string& choice, CallForm form, bool commutative, Seconds entered,
                Rank root) noexcept;

}  // namespace eco
