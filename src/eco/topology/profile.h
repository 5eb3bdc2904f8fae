// SPDX-License-Identifier: BSD-3-Clause
// The profile: the result of measuring one network, as a value with one written form
// (docs/formats.md). Made by `eco measure`, read by everything else. A Profile that parse_profile
// returned is valid: sizes agree, numbers are finite and positive, levels are nested.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/inter_cluster_cost.h"
#include "eco/topology/levels.h"
#include "eco/topology/measured_mcast.h"
#include "eco/topology/measured_rails.h"
#include "eco/topology/model.h"

namespace eco {

inline constexpr int profile_version = 1;

// One choice: what runs an operation of about this size on this network. Timed by `eco tune`, or
// predicted: then `choice` is the planner's that is best, not yet whether it beats the library.
struct Tuned {
    std::string mpi;
    std::string operation;
    std::string layout;  // near or scattered
    Bytes bytes = 0;     // -1: not known to all ranks
    std::string choice;
    Seconds native = 0, eco = 0;  // predicted: native is the best topology-unaware baseline
    double noise = 0;
    int ranks_per_host = 1;  // on the fullest host of those that it was timed on
    bool predicted = false;
    bool derived = false;        // `native` too was not timed, but follows from other calls
    std::string structure = {};  // Hierarchy's, of the ranks that it was timed on
};

// Stands for the library in entries that were predicted.
inline constexpr const char* any_library = "any";
inline bool for_any_library(const Tuned& tuned) { return tuned.mpi == any_library; }

struct Profile {
    std::string created;
    std::string mpi_family, mpi_version;
    std::vector<std::string> hosts;
    std::vector<Bytes> sizes;  // ascending; the first is the latency size
    int round_trips = 0, repeats = 0;
    Bytes partition_bytes = 0;
    double tolerance = 0;
    std::vector<Matrix> minimum, spread;  // one per size; H×H
    Levels levels;
    std::vector<int> ring;
    std::vector<Tuned> tuning;
    std::optional<Model> model;  // where one was measured
    std::vector<InterClusterCost>
        inter_cluster_costs;  // of a runtime part; else find_inter_cluster_costs has them
    std::optional<Forwarding> forwarding;  // of a runtime part; else find_forwarding has it
    int measured_hosts = 0;                // of a runtime part: how many the whole has; else 0
    std::optional<MeasuredRails> rails;    // where they were looked for
    std::optional<MeasuredMcast> mcast;    // where it was tried
};

// The place of partition_bytes in sizes; their number where it is missing.
std::size_t partition_size(const Profile& profile);

// Fills levels and ring from the times of partition_bytes. visits: of each pair. look: what a look
// for a message takes a host, by so much all times of a pair may be too long.
void derive_topology(Profile& profile, int visits, Seconds look = 0);

// Throws Error{bad_input} with one sentence; origin names the file in it.
Profile parse_profile(const std::string& text, const std::string& origin);
Profile read_profile(const std::string& path);

std::string to_json(const Profile& profile);

}  // namespace eco
