// SPDX-License-Identifier: BSD-3-Clause
// The times that ranks take for the model, by rank 0's orders: overheads of a host, flows, and
// trains of messages that show the burst of a token bucket. Used by measure_model.
#pragma once

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "eco/measure/flow_time.h"
#include "eco/measure/worker_pool.h"
#include "eco/topology/media.h"
#include "eco/topology/profile.h"
#include "eco/topology/transfer.h"
#include "eco/transport/nic_counters.h"

namespace eco {

// B/s of others' traffic, while ECO is silent, from which on it counts: name services and the like
// are less, and so is what a stream's own frames may be off by.
inline constexpr double least_traffic = 12.5e3;

// Of messages whose overheads are timed: all short enough that no library asks the receiver first.
inline constexpr std::array<double, 3> overhead_sizes{1, 1024, 8192};

class ModelTimer {
public:
    // profile: with times; leader: per host the rank that measures. All outlive it.
    ModelTimer(const Profile& profile, const std::vector<int>& leader, const WorkerPool& workers)
        : profile_(profile), leader_(leader), workers_(workers) {}

    // By size, in seconds: of a send, and of a receive. Throws MpiError, as all that follow.
    std::pair<std::vector<Seconds>, std::vector<Seconds>> overheads(int host, int partner) const;

    // Whether what is not ECO's counts with the flows: what takes a part of a flow's ports; or,
    // where the flows are added up, what goes the same way, from hosts that send to hosts that
    // receive.
    enum class Others { uncounted, at_ports, across };
    struct Timing {
        Seconds timed = flow_time;  // at least
        // What a flow may have under way, in seconds at its rate; 0: enough for any queue.
        Seconds under_way = 0;
        double most = std::numeric_limits<double>::infinity();  // B/s of a flow, where known
        Others others = Others::uncounted;
        const std::vector<NicBytes>* heard = nullptr;  // per host, while ECO is silent
    };
    // B/s of these flows at once, each; a host sends one and receives one at most.
    std::vector<double> rates(const std::vector<Flow>& flows, const Timing& timing) const;
    // Of all together.
    double total(const std::vector<Flow>& flows) const;

    // The same, and the traffic of others that the first flow's receiver, and the hosts of the
    // flows with these hosts, receive meanwhile, by the counters of their NICs; 0 without hosts.
    // What NICs send says little: it may wait, or be lost. B/s of payload; what is little beside
    // the flows does not count, as it may be theirs.
    struct Carried {
        double flows = 0, to_first = 0, to_hosts = 0;
    };
    Carried carried(const std::vector<Flow>& flows, const std::vector<int>& hosts) const;

    // What each host's NICs carry while ECO is silent, B/s.
    std::vector<NicBytes> listen(Seconds duration) const;

    // As the pairwise times have it; of the longest message in all where a byte more costs nothing.
    double rate(const Flow& flow) const;

    // Bytes on the wire that were there at once with the first frame: of a train those that its
    // last message did not wait for. rate: of the link. 0: no more than a plain wire has, or too
    // short to tell.
    double burst(const Flow& flow, double rate) const;

private:
    using Orders = std::vector<std::pair<int, Order>>;
    Orders orders_of(const std::vector<Flow>& flows, const Timing& timing) const;
    using Figures = std::vector<std::vector<double>>;
    // Those of the order that the host had.
    const std::vector<double>& figures_at(int host, const Orders& orders,
                                          const Figures& figures) const;
    // Along the way from a to b, overheads included.
    Cost whole(int a, int b) const;

    const Profile& profile_;
    const std::vector<int>& leader_;
    const WorkerPool& workers_;
};

}  // namespace eco
