// SPDX-License-Identifier: BSD-3-Clause
// Finds hosts whose short messages are as fast as their neighbours', but whose long ones are not,
// because their NIC or its link has a lower rate. Pure. Called when pairs have been timed with all
// sizes (measure), beside odd.h.
#pragma once

#include <optional>
#include <vector>

#include "eco/survey/notes.h"
#include "eco/survey/timings.h"

namespace eco {

// Of a pair of hosts, what the longest message takes longer than one of partition_bytes.
struct LongPair {
    int a, b;
    Seconds extra;
};

// Of a profile with hosts and sizes; by_size: as its sizes. None if no message is much longer than
// partition_bytes.
std::vector<LongPair> long_pairs(const Profile& profile, const std::vector<Timings>& by_size);

// Where few pairs were timed, which of two hosts is slow is not clear, nor to what a host that is
// alone in its subnet compares: with these pairs it is. timed: pairs with long messages; nearest:
// pairs with others, from which a lone host's nearest subnet follows; subnet: the id of each
// host's.
std::vector<HostPair> pairs_to_tell_apart(const std::vector<LongPair>& timed,
                                          const Timings& nearest, const std::vector<int>& subnet);

// A host is slow for long messages if they take it much longer to each host of its subnet that they
// were timed with than they take those hosts; so of three hosts or more. A host that is alone in
// its subnet is compared with the nearest one, and is slow if its rate explains why it takes
// longer, not its distance. factor: its least time of the longest message over theirs. surveyed:
// which pairs were timed; empty: all. Nothing if no message is much longer than partition_bytes.
std::vector<Odd> slow_for_long(const Profile& profile, const std::optional<Surveyed>& surveyed);

// With which of its partners' hosts a slow host's long messages take least: to be timed again
// before it is called slow.
std::vector<HostPair> pairs_of_slow(const Profile& profile,
                                    const std::optional<Surveyed>& surveyed);

// Pairs inside subnets whose long messages take longer than others': it may be one way only.
std::vector<HostPair> pairs_to_try_both_ways(const Profile& profile,
                                             const std::optional<Surveyed>& surveyed);

// All that is odd, each host once. A host of a link inside its subnet (subnet: the id of each
// host's) that is slower one way is not called slow for long messages: the link says more.
std::vector<Odd> all_odd(std::vector<Odd> slow, const std::vector<Odd>& slow_for_long,
                         const std::vector<Odd>& links, const std::vector<int>& subnet);

}  // namespace eco
