// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/shared_hosts.h"

#include <algorithm>
#include <optional>

#include "eco/base/error.h"
#include "eco/planners/choice.h"
#include "eco/planners/choice_text.h"
#include "eco/schedule/collective.h"
#include "eco/selection/choose.h"
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

// A profile may hold what another version of ECO wrote.
bool is_readable(const Tuned& entry) {
    try {
        parse_operation(entry.operation);
        parse_choice(entry.choice);
        return true;
    } catch (const Error&) {
        return false;
    }
}

class SharedHosts {
public:
    SharedHosts(const std::vector<Tuned>& tuning, const std::string& library,
                const PredictionErrors& errors)
        : tuning_(tuning), library_(library), errors_(errors) {}

    std::vector<Tuned> run() const {
        std::vector<Tuned> found;
        for (const Tuned& several : tuning_) {
            if (!for_any_library(several) || several.ranks_per_host < 2 ||
                several.bytes <= shortest || several.native <= 0 || several.eco <= 0 ||
                !is_readable(several) || is_timed(several.operation))
                continue;
            if (const auto entry = derived_from(several)) found.push_back(*entry);
        }
        return found;
    }

private:
    // With several ranks on each host.
    bool is_timed(const std::string& operation) const {
        return std::any_of(tuning_.begin(), tuning_.end(), [&](const Tuned& each) {
            return each.mpi == library_ && each.operation == operation && each.ranks_per_host > 1 &&
                   !each.derived;
        });
    }

    // In the same order of ranks; else of ranks beside each other, of which calls take the library
    // no longer.
    const Tuned* timed_beside(const Tuned& several) const {
        for (const std::string& layout : {several.layout, std::string("near")}) {
            const Tuned* found =
                nearest_entry(tuning_, several, several.bytes, [&](const Tuned& each) {
                    return each.mpi == library_ && !each.derived && each.layout == layout;
                });
            if (found && distance(found->bytes, several.bytes) <= near_enough) return found;
        }
        return nullptr;
    }

    std::optional<Tuned> derived_from(const Tuned& several) const {
        const Tuned* timed = timed_beside(several);
        if (!timed) return std::nullopt;
        const Tuned* baseline =
            nearest_entry(tuning_, several, timed->bytes, [&](const Tuned& each) {
                return for_any_library(each) && each.layout == timed->layout;
            });
        if (!baseline || distance(baseline->bytes, timed->bytes) > near_enough) return std::nullopt;
        const PredictionError& error =
            errors_.of(several.bytes, parse_choice(several.choice).is_mcast()
                                          ? PredictionErrors::By::multicasts
                                          : PredictionErrors::By::messages);
        if (!error.known()) return std::nullopt;
        const double times_baseline =
            timed->native * length(baseline->bytes) / (baseline->native * length(timed->bytes));
        Tuned entry = several;
        entry.mpi = library_;
        entry.noise = 0;
        entry.derived = true;
        entry.native = several.native * times_baseline;
        if (is_shared_inside(several.operation))
            entry.native = std::min(entry.native,
                                    timed->native * length(several.bytes) / length(timed->bytes));
        const Opinion opinion = decide({entry.native, uncertainty, several.eco, false}, error);
        if (opinion.gain > 0) entry.eco = entry.native / opinion.gain;
        if (opinion.verdict != Verdict::eco) entry.choice = "native";
        return entry;
    }

    const std::vector<Tuned>& tuning_;
    const std::string& library_;
    const PredictionErrors& errors_;
};

}  // namespace

std::vector<Tuned> choices_on_shared_hosts(const std::vector<Tuned>& tuning,
                                           const std::string& library,
                                           const PredictionErrors& errors) {
    return SharedHosts(tuning, library, errors).run();
}

}  // namespace eco
