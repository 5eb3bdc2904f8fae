// SPDX-License-Identifier: BSD-3-Clause
// Ranks the schedules of a collective on a network by simulating them: candidates and variants
// (selection/variants.h), forms first, then the best of them at other paces. Deterministic and
// bounded: schedules that would take too long to simulate are left out. Used by tuning, by `eco
// plan`, and for the entries of a profile that were never timed.
#pragma once

#include <vector>

#include "eco/planners/choice.h"
#include "eco/schedule/collective.h"
#include "eco/topology/network.h"

namespace eco {

struct Predicted {
    Choice choice;
    Seconds time = 0;  // mean over the roots
};

struct Forecast {
    // The best first: of those within 5 % of the quickest, the one with the fewest messages; then
    // by time. Empty: it would take too long to tell.
    std::vector<Predicted> choices;
    // The quickest of the topology-unaware baselines on contiguous ranks, which stand for a library
    // that knows nothing of the network; 0: not simulated.
    Seconds baseline = 0;
};

// Messages that are simulated for one operation and size; one takes some microseconds.
inline constexpr double work_of_forecast = 4e5;

// roots: whose mean counts; one, any, where the operation has none. request.root is not read.
// bytes: known to all ranks. baseline: Forecast's, where it is known. Cost: about most_work
// simulated messages, and one schedule more; deterministic.
Forecast forecast(const Network& network, const std::vector<int>& host_of, const Request& request,
                  Bytes bytes, const std::vector<Rank>& roots, double most_work = work_of_forecast,
                  Seconds baseline = 0);

// Of one schedule with these roots, in messages simulated.
double work_of(const Choice& choice, const Request& request, std::size_t roots);

// Its baseline alone.
Seconds forecast_baseline(const Network& network, const std::vector<int>& host_of,
                          const Request& request, Bytes bytes, const std::vector<Rank>& roots,
                          double most_work = work_of_forecast);

// Of one choice alone, whatever it costs (work_of). Needs supports() and can_simulate().
Seconds forecast_choice(const Network& network, const std::vector<int>& host_of,
                        const Choice& choice, const Request& request, Bytes bytes,
                        const std::vector<Rank>& roots);

// Whether the choice takes as long whatever the order of the ranks on the same hosts. False for
// what follows their numbers: baselines, prefixes.
bool follows_network(const Choice& choice, const Request& request);

// Few roots that stand for all: the first rank of some of the widest groups; rank 0 if the
// operation has none.
std::vector<Rank> representative_roots(const Hierarchy& hierarchy, Operation operation);

// Of the quickest those that really differ, at most `count`: not the same schedule by another name,
// at most two paces of a form, nothing far behind the best.
std::vector<Predicted> shortlist(const Forecast& forecast, std::size_t count);

}  // namespace eco
