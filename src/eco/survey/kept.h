// SPDX-License-Identifier: BSD-3-Clause
// The pairs of hosts that were timed when measuring was interrupted: reported during measuring,
// read by the next run (docs/formats.md, "Partial measurement"). Hosts are identified by their
// names, so the next run may be on others. Called by measure/ on rank 0.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "eco/survey/timings.h"
#include "eco/topology/profile.h"

namespace eco {

inline constexpr int partial_version = 1;

// Of one pair and size: enough to go on as if it had been timed by this run.
struct KeptPair {
    int a, b;  // of Kept::hosts
    Seconds least, median;
    int samples, visits;
    bool operator==(const KeptPair&) const = default;
};

struct Kept {
    std::string mpi;  // family and version
    std::vector<std::string> hosts;
    std::vector<Bytes> sizes;
    Bytes partition_bytes = 0;
    double tolerance = 0;
    std::vector<std::vector<KeptPair>> pairs;  // per size
};

// Without pairs, of a measurement that has these parameters.
Kept kept_of(const Profile& profile);
KeptPair kept_pair(const Timings::Entry& entry);

nlohmann::json kept_json(const Kept& kept);
// Throws Error{bad_input} with one sentence.
Kept read_kept(const std::string& text);

// Adds to timings, one per size, what they lack of pairs whose hosts both take part; says which
// pairs. Throws Error{bad_input} where it was measured in another way.
std::vector<HostPair> take_up(const Kept& kept, const Profile& profile,
                              std::vector<Timings>& timings);

}  // namespace eco
