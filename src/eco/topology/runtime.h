// SPDX-License-Identifier: BSD-3-Clause
// The part of a profile that a running program needs: no matrices; of the model, one transfer for
// all pairs of two clusters; of the tuning, the entries that this library and these hosts may use.
// Every job sends it over the network that it describes, so it is short: some 2 kB for 8 hosts and
// 250 choices, below 50 kB for 1,024. Written by rank 0 of a job, read by all.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "eco/topology/profile.h"

namespace eco {

// Cuts a profile down to the hosts of a job. host_of: per rank, index in profile.hosts, or -1;
// becomes that in the result. With the job's hosts stay as many others as it takes for clusters to
// remain clusters: one beside each host that would be alone in what is one of several. What
// hierarchies, choices and costs come to for these hosts stays as it was. Tuning must be one
// library's (selection/choose.h, tuning_for).
Profile part_for_job(const Profile& profile, std::vector<int>& host_of);

// As JSON to be written as CBOR. Hosts lose their names, tuning all times but their ratio.
nlohmann::json runtime_json(const Profile& profile);

// Takes only what runtime_json wrote. With a model in any case: where none was measured, one that
// is assumed.
Profile parse_runtime(const nlohmann::json& root);

}  // namespace eco
