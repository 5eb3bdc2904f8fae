// SPDX-License-Identifier: BSD-3-Clause
// Notes of the measurement that no running program needs: which pairs were timed if not all were,
// how certain the subnets are, and anomalies. They have their own keys in the profile's JSON
// (docs/formats.md), which are absent if there is nothing to note.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eco/topology/profile.h"

namespace eco {

// The times of other pairs are medians of like pairs.
struct Surveyed {
    int checks = 0;           // per host, with random others of its subnet
    double not_compared = 0;  // share of the pairs of subnets
    std::vector<std::vector<std::pair<int, int>>> measured;  // per size; ascending, each a < b
};

// What is not as its like: a host whose messages, or whose long ones, take longer, a link whose two
// ways differ.
struct Odd {
    std::vector<int> hosts;  // one that is slow; or from where to where a link is the slower
    std::string what;        // slow or asymmetric
    double factor = 1;
};

// What a host's NICs carried that is not ECO's while its network was measured, B/s.
struct OthersTraffic {
    int host = 0;
    double sent = 0, received = 0;
};

struct Notes {
    std::optional<Surveyed> surveyed;  // empty: every pair was timed
    std::vector<Odd> odd;
    int subnets_not_tried = 0;  // for links that are slower one way
    std::vector<OthersTraffic> others_traffic;
    // That the MPI library was told to use; empty: its own choice.
    std::vector<std::string> interfaces;
};

// Adds the keys `survey`, `odd`, `subnets_not_tried`, `others_traffic` and `interfaces` to a
// profile's document.
void put_notes(const Notes& notes, nlohmann::json& document);

// Of a profile's text that parse_profile took. Throws Error{bad_input} with one sentence that
// begins with origin.
Notes read_notes(const std::string& text, const Profile& profile, const std::string& origin);

}  // namespace eco
