// SPDX-License-Identifier: BSD-3-Clause
// Whether switches copy multicasts to hosts that have not joined their group, found by datagrams to
// a second group. NICs drop what is for no group of their host before anybody counts it. But they
// tell groups apart by the Ethernet address, and the second group has that of the first, which all
// hosts have joined: so its datagrams come to the kernel, which counts them. Called by
// measure_mcast.h.
#pragma once

#include <memory>
#include <vector>

#include "eco/measure/mcast_copies.h"
#include "eco/measure/mcast_way.h"

namespace eco {

class McastFlood {
public:
    // Collective over MPI_COMM_WORLD. plan: on rank 0. The members join here, long before anything
    // is sent: a switch may copy to all until it knows a group.
    McastFlood(McastWay& way, const McastKey& key, const std::vector<int>& leader, FloodPlan plan);

    // Collective over MPI_COMM_WORLD. rate: on rank 0, bytes on the wire per second that may be
    // sent; 0: nothing is. About 0.1 s, a little more below 1 Mbit/s.
    void run(double rate);

    // The rest is rank 0's. Per host, in a run of so many datagrams.
    const std::vector<HostGot>& got() const { return got_; }
    int datagrams() const { return datagrams_; }
    const FloodPlan& plan() const { return plan_; }

private:
    void share_plan();
    bool is_true(const std::vector<bool>& hosts) const;
    void listen(Seconds until);
    std::int64_t count();
    void send(Seconds each);

    const Native& mpi_ = native();
    McastWay& way_;
    const McastKey key_;
    const std::vector<int>& leader_;
    FloodPlan plan_;
    McastAddress group_;
    std::unique_ptr<McastSocket> member_;  // of the second group
    bool is_known_ = true;                 // what the kernel counts
    HostGot own_;
    std::vector<HostGot> got_;
    int datagrams_ = 0;
};

}  // namespace eco
