// SPDX-License-Identifier: BSD-3-Clause
// The multicasts of a running job: its group and key, and this process's socket there.
#pragma once

#include <memory>
#include <string>

#include "eco/base/settings.h"
#include "eco/topology/profile.h"
#include "eco/transport/mcast_transport.h"

namespace eco {

// `channel` is there on all ranks, or on none.
struct JobMcast {
    std::unique_ptr<McastChannel> channel;
};

struct Session;

// Collective over MPI_COMM_WORLD: joins a group of the job's own where the profile says that
// multicast reaches. Where some rank cannot, one line says why, and there is none.
JobMcast open_mcast(const Session& session);

// One line on rank 0 about all datagrams of the job. Collective over MPI_COMM_WORLD.
void report_mcast(const Session& session);

// Whether any choice that a session with these may make multicasts.
bool may_use_mcast(const Settings& settings, const Profile& profile);

// Rank 0's random key, on all ranks of MPI_COMM_WORLD. Collective. Throws MpiError.
McastKey share_mcast_key();

}  // namespace eco
