// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/shared_hosts.h"

#include <algorithm>

#include "eco/planners/choice.h"
#include "eco/schedule/collective.h"
#include "eco/simulate/verdict.h"

namespace eco {

namespace {

// How far from a timed call's length; further off the library may have another algorithm.
constexpr double near_enough = 2;

// So much must be gained beside the error of predictions: neither of the two was timed with several
// ranks. Of 30 calls of two racks of four hosts with two ranks on each (docs/figures.md) one was
// slower at 1.5, none at 2.
constexpr double uncertainty = 2;
// Shorter messages take the time of hosts, which their ranks share.
constexpr Bytes shortest = PredictionErrors::longest_brief;

double length(Bytes bytes) { return static_cast<double>(std::max<Bytes>(bytes, 1)); }

double distance(Bytes a, Bytes b) {
    return std::max(length(a), length(b)) / std::min(length(a), length(b));
}

// Libraries move what all ranks of a host share by shared memory, and one rank of it sends.
bool is_shared_inside(const std::string& operation) {
    const OperationTraits& asked = traits(parse_operation(operation));
    return asked.blocks == Blocks::parts && asked.rules != Rules::prefix;
}

// With one rank on each host, nearest in length; of equals the shorter one.
template <typename Counts>
const Tuned* nearest_entry(const std::vector<Tuned>& tuning, const Tuned& like, Bytes bytes,
                           Counts counts) {
    const Tuned* best = nullptr;
    for (const Tuned& each : tuning) {
        if (each.operation != like.operation || each.ranks_per_host > 1 || each.native <= 0 ||
            each.bytes < 0 || !each.structure.empty() || !counts(each))
            continue;
        const auto rank = [&](const Tuned& one) {
            return std::pair(distance(one.bytes, bytes), one.bytes);
        };
        if (!best || rank(each) < rank(*best)) best = &each;
    }
    return best;
}

}  // namespace

std::vector<Tuned> choices_on_shared_hosts(const std::vector<Tuned>& tuning,
                                           const std::string& library,
                                           const PredictionErrors& errors) {
    std::vector<Tuned> found;
    for (const Tuned& several : tuning) {
        if (!for_any_library(several) || several.ranks_per_host < 2 || several.bytes <= shortest ||
            several.native <= 0 || several.eco <= 0)
            continue;
        const bool timed_there = std::any_of(tuning.begin(), tuning.end(), [&](const Tuned& each) {
            return each.mpi == library && each.operation == several.operation &&
                   each.ranks_per_host > 1 && !each.derived;
        });
        if (timed_there) continue;
        // Scattered ranks take the library no less than others.
        const Tuned* timed = nullptr;
        for (const std::string& layout : {several.layout, std::string("near")}) {
            timed = nearest_entry(tuning, several, several.bytes, [&](const Tuned& each) {
                return each.mpi == library && !each.derived && each.layout == layout;
            });
            if (timed && distance(timed->bytes, several.bytes) <= near_enough) break;
            timed = nullptr;
        }
        if (!timed) continue;
        const Tuned* baseline =
            nearest_entry(tuning, several, timed->bytes, [&](const Tuned& each) {
                return for_any_library(each) && each.layout == timed->layout;
            });
        if (!baseline || distance(baseline->bytes, timed->bytes) > near_enough) continue;
        const double times_baseline =
            timed->native * length(baseline->bytes) / (baseline->native * length(timed->bytes));
        Tuned entry = several;
        entry.mpi = library;
        entry.noise = 0;
        entry.derived = true;
        entry.native = several.native * std::max(1.0, times_baseline);
        if (is_shared_inside(several.operation))
            entry.native = std::min(entry.native,
                                    timed->native * length(several.bytes) / length(timed->bytes));
        const bool multicasts = parse_choice(several.choice).is_mcast();
        const Opinion opinion =
            decide({entry.native, uncertainty, several.eco, false},
                   errors.of(several.bytes, multicasts ? PredictionErrors::By::multicasts
                                                       : PredictionErrors::By::messages));
        if (opinion.gain > 0) entry.eco = entry.native / opinion.gain;
        if (opinion.verdict != Verdict::eco) entry.choice = "native";
        found.push_back(entry);
    }
    return found;
}

}  // namespace eco
