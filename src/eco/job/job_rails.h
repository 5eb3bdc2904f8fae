// SPDX-License-Identifier: BSD-3-Clause
// The rails of a running job: opened by each rank; addresses are exchanged over MPI.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "eco/base/settings.h"
#include "eco/mpi/native.h"
#include "eco/topology/profile.h"
#include "eco/transport/rail_transport.h"

namespace eco {

// What a job has of rails. `open` is the same on all ranks; a rank without NICs of its own has no
// `messages`, and no rail leads to it.
struct JobRails {
    bool open = false;
    std::unique_ptr<RailMessages> messages;
};

// Collective over MPI_COMM_WORLD: opens the rails of this host in the networks of these rates
// (where none are given, in all, as if alike), and tries each of them to each peer on another host.
// Messages of more than `longest_short` bytes will go in stripes. Where that does not work nothing
// is open, and `why` says so on some rank. with_own: whether this rank opens NICs of its own.
JobRails open_rails(const std::vector<int>& host_of_world, Rank me,
                    const std::map<std::string, RailRates>& rates, const Levels& levels,
                    Bytes longest_short, bool with_own, std::string& why);

struct Session;

// The same in a session that has begun, by its profile; says what is wrong in one line.
JobRails open_rails(const Session& session);

// Whether any choice that a session with these may make names rails.
bool may_use_rails(const Settings& settings, const Profile& profile);

}  // namespace eco
