// SPDX-License-Identifier: BSD-3-Clause
// The data that all ranks of a job share: where each rank is, and the part of the profile and
// settings, read by rank 0, that the job's hosts and library need. Called once in a job, by
// session.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eco/base/settings.h"
#include "eco/learn/learned.h"
#include "eco/topology/binding.h"
#include "eco/topology/hierarchy.h"
#include "eco/topology/profile.h"

namespace eco {

struct Whereabouts {
    std::vector<int> host_of;                     // per rank, index in profile.hosts; -1: not in it
    std::vector<Binding> bindings;                // per rank; empty if no host has levels inside
    bool threads_at_once = false;                 // some rank has MPI_THREAD_MULTIPLE
    Bytes most_scratch = most_scratch_of_a_rank;  // see Hierarchy
};

// What rank 0 read, for the report: the profile as it was measured.
struct WholeProfile {
    std::string path;
    Profile profile;
    std::vector<int> host_of_part;  // of each of the job's hosts, its index in profile.hosts
};

struct Shared {
    Settings settings;  // on rank 0 with the path of the profile that was read
    Profile profile;    // its runtime part
    std::string library;
    Whereabouts where;
    std::vector<LearnedClass> learned;    // by earlier jobs, of this library and network
    std::unique_ptr<WholeProfile> whole;  // rank 0's, where it reports
};

// Both are collective over MPI_COMM_WORLD: a gather, a broadcast or two, and where ranks share a
// host and some of them is bound, an allgather.

// Nothing, on all ranks alike, where ECO falls back to native; rank 0 says why in one line, or the
// first rank whose build differs from rank 0's (build_id.h) or that cannot take part: why_not says
// what has failed there. settings, library: rank 0's count. Throws MpiError, after which
// other ranks may have begun.
std::optional<Shared> share(const Settings& settings, const std::string& library,
                            const std::string& why_not = {});

// The same for a profile that all ranks have.
std::optional<Whereabouts> share_whereabouts(const Profile& profile,
                                             const std::string& why_not = {});

// Rank 0's, local: keeps what its communicators learned, beside the profile that share() read; a
// line says why where it cannot.
void keep_results(std::vector<LearnedClass> results);

// This host's name, as MPI_Get_processor_name has it.
std::string processor_name();

// The end of a sentence on a host that the profile does not have: what is wrong with a name that a
// container made up, or else what is given.
std::string what_names_host(const std::string& otherwise);

}  // namespace eco
