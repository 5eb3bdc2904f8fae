// SPDX-License-Identifier: BSD-3-Clause
// Answers a survey from a drawn network of hosts in racks, pods and sites, with disturbances as in
// a real one: for tests and bench/survey.cpp, with many hosts.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "eco/survey/hints.h"
#include "eco/survey/prober.h"
#include "eco/topology/levels.h"

namespace eco {

struct DrawnHost {
    std::vector<int> at;  // its place, widest first: site, pod, rack
    double slow = 1;      // times what other hosts take
};

struct DrawnNetwork {
    std::vector<DrawnHost> hosts;
    // What hosts are apart by the first place in which they differ; the last: in one rack.
    std::vector<Seconds> apart;
    double uneven = 0.02;      // pairs differ by so much at most, always alike
    double disturbance = 0.1;  // mean of the exponential one, of the time itself
    double hiccups = 0.01;     // share of messages that take several times as long
    // Busy processors: a share of the visits in which every message takes so much longer in the
    // mean.
    double busy = 0;
    Seconds busy_time = 1.5e-3;
    // An MPI library that sleeps so long in each look for a message, in step with the messages: a
    // message is seen when the look ends, which is alike in all visits of a pair.
    Seconds look = 0;

    Seconds of(int a, int b) const;
    // When such a library has seen a message between these two that took so long.
    Seconds seen(int a, int b, Seconds taken) const;
    // What Fig. 2 makes of all pairs, undisturbed. At most a few thousand hosts.
    Levels levels_of_all(double tolerance) const;
    // The racks, slow hosts apart: the same where hosts are too many for all pairs.
    std::vector<int> racks() const;
};

struct DrawSettings {
    int hosts = 1024;
    bool useless_names = false;  // shuffled; else rack by rack, a few in the wrong place
    bool even = false;           // racks of one size
    int racks = 0;               // 0: drawn
    double slow_hosts = 0.005;
    // Of NICs that hints tell: so many; of each rack one, but for a share of the hosts.
    int speeds = 0;
    double mixed_speeds = 0;
};

// The hosts in an order of their own; hints: in the same order.
DrawnNetwork draw_network(const DrawSettings& settings, std::mt19937& random,
                          std::vector<Hint>& hints);

class SimulatedProber : public Prober {
public:
    SimulatedProber(const DrawnNetwork& network, unsigned seed)
        : network_(network), random_(seed), visits_of_(network.hosts.size(), 0) {}

    std::vector<std::vector<Seconds>> time(const std::vector<HostPair>& pairs,
                                           Bytes bytes) override;

    // As many seconds as the visits would have taken, and what handing out orders does.
    Seconds clock() const { return clock_; }
    // Of the host that was visited most.
    int most_visits() const;

private:
    const DrawnNetwork& network_;
    std::mt19937 random_;
    std::vector<int> visits_of_;
    Seconds clock_ = 0;
};

}  // namespace eco
