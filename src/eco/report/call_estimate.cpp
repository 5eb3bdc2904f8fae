// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/call_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "eco/base/error.h"
#include "eco/planners/choice.h"
#include "eco/planners/choice_text.h"
#include "eco/selection/choose.h"
#include "eco/selection/variants.h"
#include "eco/simulate/predict.h"
#include "eco/simulate/prediction_error.h"
#include "eco/topology/build_hierarchy.h"
#include "eco/topology/build_network.h"

namespace eco {

namespace {

constexpr std::array<const char*, 5> names = {"ran", "timed here", "timed", "predicted",
                                              "not known"};

// Messages simulated for one report: a second or two.
constexpr double most_work = 4e5;

// So many timed calls of another choice say what it takes.
constexpr long enough_calls = 2;

// What was timed is off by so much at least: few runs, other calls around them.
constexpr double error_here = 0.1, error_of_timing = 0.1, error_of_few_runs = 0.2;
// What was timed only by the ratio of the two.
constexpr double error_of_ratio = 0.3;
// Beside that, for each doubling between the size that was timed and the call's.
constexpr double error_of_doubling = 0.03;

// Schedules of the library that explain what was timed nearly as well as the best does.
constexpr double explains = 1.25;

// How far predictions of schedules err, in nine cases of ten (docs/figures.md, Predicted and
// measured times).
constexpr double error_of_prediction = 0.27;
// A prediction counts if what ran took what was predicted of it, to within this factor.
constexpr double holds = 1.5;
// What the library takes over its quickest topology-unaware baseline by prediction, in nine cases
// of ten (docs/figures.md, What reports estimate): of messages of more than a few frames that all
// ranks share, and of blocks. Which algorithm it has nobody knows where it was never timed.
constexpr TimeRange library_of_message{0.7, 1.08, 1.55}, library_of_blocks{0.95, 1.45, 2.4};

// A choice is cut into more segments where messages are longer.
std::string without_segments(const std::string& text) {
    try {
        Choice choice = parse_choice(text);
        choice.segments = 0;
        return to_text(choice);
    } catch (const Error&) {
        return text;
    }
}

struct BothTimes {
    Seconds native = 0, choice = 0;
    long native_runs = 0, choice_runs = 0;
};

std::optional<BothTimes> learned_of(const std::vector<LearnedClass>& classes,
                                    const CallKind& kind) {
    const std::string wanted = without_segments(kind.choice);
    const std::string layout = kind.near ? "near" : "scattered";
    for (const LearnedClass& each : classes) {
        if (each.operation != kind.operation || each.layout != layout ||
            each.hosts_shared != kind.hosts_shared || each.ranks != kind.ranks() ||
            each.bytes != kind.learned || !each.graph.empty() || each.structure != kind.structure)
            continue;
        BothTimes found;
        for (const LearnedArm& arm : each.arms) {
            if (arm.runs == 0) continue;
            if (arm.choice == "native") {
                found.native = arm.mean;
                found.native_runs = arm.runs;
            } else if (without_segments(arm.choice) == wanted) {
                found.choice = arm.mean;
                found.choice_runs = arm.runs;
            }
        }
        return found;
    }
    return std::nullopt;
}

double log_of(Bytes bytes) { return std::log2(static_cast<double>(std::max<Bytes>(bytes, 1))); }

double apart(Seconds a, Seconds b) { return std::abs(std::log(a / b)); }

// Of the two next sizes, in proportion to the logarithm of the size.
TimeRange between(const TimeRange& below, const TimeRange& above, double part) {
    const auto mix = [part](Seconds a, Seconds b) { return a + part * (b - a); };
    return {std::min(below.low, above.low), mix(below.likely, above.likely),
            std::max(below.high, above.high)};
}

TimeRange widened(const TimeRange& span, double error) {
    return {span.low / (1 + error), span.likely, span.high * (1 + error)};
}

}  // namespace

const char* to_text(Basis basis) { return names.at(static_cast<std::size_t>(basis)); }

Basis parse_basis(const std::string& text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) throw Error(Code::bad_input, "'" + text + "' is an unknown basis");
    return static_cast<Basis>(found - names.begin());
}

CallEstimator::CallEstimator(const Profile& profile, const std::string& library,
                             std::vector<LearnedClass> now, std::vector<LearnedClass> before)
    : profile_(profile),
      tuning_(tuning_for(profile, library)),
      now_(std::move(now)),
      before_(std::move(before)) {
    if (!profile.minimum.empty()) network_ = build_network(profile);
}

// None for those that list multicasts, whose schedules are plans of their own.
static std::optional<Operation> collective_of(const CallKind& kind) {
    for (const Operation operation : operations())
        if (traits(operation).name == kind.operation) return operation;
    return std::nullopt;
}

const Hierarchy& CallEstimator::hierarchy_of(const std::vector<int>& host_of) {
    const auto found = hierarchies_.find(host_of);
    if (found != hierarchies_.end()) return found->second;
    return hierarchies_.emplace(host_of, build_hierarchy(profile_, host_of)).first->second;
}

std::optional<Seconds> CallEstimator::simulated(const CallKind& kind, const Choice& choice) {
    const auto operation = collective_of(kind);
    if (!network_ || !operation || kind.bytes < 0 || !can_simulate(choice)) return std::nullopt;
    const Hierarchy& hierarchy = hierarchy_of(kind.host_of);
    Request request{*operation, &hierarchy};
    if (!supports(choice, request) || choice.rails > network_->rails()) return std::nullopt;
    std::map<Rank, long> roots = kind.roots;
    if (roots.empty() && traits(request.operation).rooted())
        for (const Rank root : representative_roots(hierarchy, request.operation)) roots[root] = 1;
    if (roots.empty()) roots[0] = 1;
    Seconds sum = 0;
    long calls = 0;
    for (const auto& [root, count] : roots) {
        const std::tuple key(kind.operation, kind.bytes, to_text(choice), root, kind.host_of);
        auto known = known_.find(key);
        if (known == known_.end()) {
            request.root = root;
            const double ranks = kind.ranks();  // each plans, and looks at all for that
            work_ += messages_of(choice, request) + ranks * ranks / 16;
            if (work_ > most_work) return std::nullopt;
            const Seconds time =
                simulate(*network_, kind.host_of, choice, request, kind.bytes).time;
            known = known_.emplace(key, time).first;
        }
        sum += static_cast<double>(count) * known->second;
        calls += count;
    }
    return sum / static_cast<double>(calls);
}

std::vector<Choice> CallEstimator::baselines(const CallKind& kind) {
    const auto operation = collective_of(kind);
    if (!operation) return {};
    return eco::baseline({*operation, &hierarchy_of(kind.host_of)});
}

std::optional<Seconds> CallEstimator::baseline(const CallKind& kind) {
    std::optional<Seconds> least;
    for (const Choice& choice : baselines(kind))
        if (const auto time = simulated(kind, choice); time && (!least || *time < *least))
            least = time;
    return least;
}

// The calls that were timed: all ranks in turn as roots, on all hosts.
CallKind CallEstimator::kind_of(const Tuned& tuned, const CallKind& like) const {
    CallKind kind = like;
    kind.bytes = tuned.bytes;
    kind.roots.clear();
    const std::size_t ranks =
        profile_.hosts.size() * static_cast<std::size_t>(std::max(1, tuned.ranks_per_host));
    if (kind.host_of.size() != ranks || (tuned.layout == "near") != like.near) {
        kind.host_of.clear();
        for (const int host : profile_.ring)
            for (int rank = 0; rank < tuned.ranks_per_host; ++rank) kind.host_of.push_back(host);
    }
    if (traits(parse_operation(kind.operation)).rooted())
        for (Rank root = 0; root < kind.ranks() && kind.ranks() <= 16; ++root) kind.roots[root] = 1;
    return kind;
}

// Entries of the two sizes next to the call's, the nearer first; of its layout if there are such.
template <typename Counts>
std::vector<const Tuned*> CallEstimator::neighbours(const CallKind& kind, Counts counts) const {
    for (const bool near : {kind.near, !kind.near}) {
        const Tuned *below = nullptr, *above = nullptr;
        for (const Tuned& each : tuning_) {
            if (each.operation != kind.operation ||
                (each.ranks_per_host > 1) != kind.hosts_shared || (each.layout == "near") != near ||
                (each.bytes < 0) != (kind.bytes < 0) || !counts(each))
                continue;
            if (each.bytes <= kind.bytes && (!below || each.bytes > below->bytes)) below = &each;
            if (each.bytes >= kind.bytes && (!above || each.bytes < above->bytes)) above = &each;
        }
        if (below == above) above = nullptr;
        std::vector<const Tuned*> found;
        for (const Tuned* each : {below, above})
            if (each) found.push_back(each);
        if (found.size() == 2 &&
            log_of(kind.bytes) - log_of(below->bytes) > log_of(above->bytes) - log_of(kind.bytes))
            std::swap(found[0], found[1]);
        if (!found.empty()) return found;
    }
    return {};
}

// What the library takes of the call, from what it took of another: as the schedule differs that it
// probably has, the topology-unaware baseline that explains best what was timed.
TimeRange CallEstimator::scaled(const Tuned& tuned, const CallKind& kind) {
    const CallKind timed = kind_of(tuned, kind);
    const double doublings = std::abs(log_of(kind.bytes) - log_of(tuned.bytes));
    const double error = std::max(tuned.predicted ? error_of_few_runs : error_of_timing,
                                  std::min(tuned.noise / 2, 1.0)) +
                         error_of_doubling * doublings;
    struct Explanation {
        double misses, factor;
    };
    std::vector<Explanation> found;
    for (const Choice& choice : baselines(kind)) {
        const auto then = simulated(timed, choice), now = simulated(kind, choice);
        if (then && now && *then > 0) found.push_back({apart(tuned.native, *then), *now / *then});
    }
    if (found.empty()) {
        // In proportion to what is longer.
        const double longer =
            static_cast<double>(kind.bytes) / static_cast<double>(std::max<Bytes>(tuned.bytes, 1));
        return widened(TimeRange::about(tuned.native * std::max(1.0, longer), error),
                       error_of_ratio);
    }
    const auto best =
        std::min_element(found.begin(), found.end(),
                         [](const auto& a, const auto& b) { return a.misses < b.misses; });
    TimeRange factor{best->factor, best->factor, best->factor};
    for (const Explanation& each : found) {
        if (each.misses > best->misses + std::log(explains)) continue;
        factor.low = std::min(factor.low, each.factor);
        factor.high = std::max(factor.high, each.factor);
    }
    return widened(
        {tuned.native * factor.low, tuned.native * factor.likely, tuned.native * factor.high},
        error);
}

static double place_between(const Tuned& nearer, const Tuned& other, Bytes bytes) {
    const double whole = std::abs(log_of(other.bytes) - log_of(nearer.bytes));
    return whole > 0 ? std::abs(log_of(bytes) - log_of(nearer.bytes)) / whole : 0;
}

std::optional<CallEstimate> CallEstimator::tuned_native(const CallKind& kind) {
    if (kind.bytes < 0) return std::nullopt;
    const auto near = neighbours(
        kind, [](const Tuned& each) { return !for_any_library(each) && each.native > 0; });
    if (near.empty()) return std::nullopt;
    CallEstimate found{scaled(*near[0], kind), Basis::timed};
    bool derived = near[0]->derived;
    if (near.size() > 1 && near[0]->bytes != kind.bytes) {
        found.time = between(found.time, scaled(*near[1], kind),
                             place_between(*near[0], *near[1], kind.bytes));
        derived = derived || near[1]->derived;
    }
    if (derived) {
        found.basis = Basis::predicted;
        found.time = widened(found.time, error_of_prediction);
    }
    return found;
}

// Native over ECO, of calls whose size is not known to all ranks, and of those that earlier jobs
// learned, of which times say less: their ranks and programs were others.
std::optional<double> CallEstimator::tuned_ratio(const CallKind& kind) const {
    if (kind.bytes < 0)
        for (const Tuned* each : neighbours(kind, [](const Tuned& tuned) {
                 return !tuned.predicted && tuned.native > 0 && tuned.eco > 0;
             }))
            if (without_segments(each->choice) == without_segments(kind.choice))
                return each->native / each->eco;
    if (const auto learned = learned_of(before_, kind))
        if (learned->native > 0 && learned->choice > 0) return learned->native / learned->choice;
    return std::nullopt;
}

std::optional<CallEstimate> CallEstimator::predicted_native(const CallKind& kind) {
    const auto quickest = baseline(kind);
    // All-to-alls overflow queues, which no prediction knows; short messages are off by too much.
    if (!quickest) return std::nullopt;
    const Blocks blocks = traits(*collective_of(kind)).blocks;
    if (network_->assumed || blocks == Blocks::per_pair ||
        kind.bytes <= PredictionErrors::longest_brief)
        return std::nullopt;
    const TimeRange& library = blocks == Blocks::parts ? library_of_message : library_of_blocks;
    return CallEstimate{library.times(*quickest), Basis::predicted};
}

// As far as what ran took what it was to take.
static void follow(TimeRange& time, Seconds took, Seconds expected) {
    time = widened(time.times(took / expected), std::abs(took / expected - 1) / 2);
}

CallEstimate CallEstimator::native(const CallKind& kind, Seconds took) {
    if (const auto here = learned_of(now_, kind); here && here->native_runs >= enough_calls)
        return {TimeRange::about(here->native, error_here), Basis::timed_here};
    try {
        if (auto tuned = tuned_native(kind)) {
            // Short calls were timed with all ranks at rest, which in a program are in motion. What
            // made ECO's calls longer need not make the library's longer.
            const bool brief = kind.bytes <= PredictionErrors::longest_brief;
            const auto own = brief && took > 0 ? tuned_eco(kind) : std::nullopt;
            if (own && took < own->time.likely) follow(tuned->time, took, own->time.likely);
            return *tuned;
        }
        if (const auto ratio = tuned_ratio(kind); ratio && took > 0)
            return {TimeRange::about(took * *ratio, error_of_ratio), Basis::timed};
        auto found = predicted_native(kind);
        if (!found || took <= 0) return found.value_or(CallEstimate{});
        const auto own = simulated(kind, parse_choice(kind.choice));
        if (!own || std::max(took / *own, *own / took) > holds) return {};
        follow(found->time, took, *own);
        return *found;
    } catch (const Error&) {
        return {};
    }
}

std::optional<CallEstimate> CallEstimator::tuned_eco(const CallKind& kind) {
    if (kind.bytes < 0) return std::nullopt;
    const std::string form = without_segments(kind.choice);
    const auto near = neighbours(kind, [&](const Tuned& each) {
        return !for_any_library(each) && each.eco > 0 && !each.predicted &&
               without_segments(each.choice) == form;
    });
    if (near.empty()) return std::nullopt;
    const Tuned& tuned = *near.front();
    const double doublings = std::abs(log_of(kind.bytes) - log_of(tuned.bytes));
    const auto then = simulated(kind_of(tuned, kind), parse_choice(tuned.choice)),
               now = simulated(kind, parse_choice(kind.choice));
    const double longer =
        static_cast<double>(kind.bytes) / static_cast<double>(std::max<Bytes>(tuned.bytes, 1));
    const double factor = then && now && *then > 0 ? *now / *then : std::max(1.0, longer);
    return CallEstimate{
        TimeRange::about(tuned.eco * factor, error_of_timing + error_of_doubling * doublings),
        Basis::timed};
}

CallEstimate CallEstimator::with_eco(const CallKind& kind, Seconds took) {
    if (const auto here = learned_of(now_, kind); here && here->choice_runs >= enough_calls)
        return {TimeRange::about(here->choice, error_here), Basis::timed_here};
    try {
        if (const auto tuned = tuned_eco(kind)) return *tuned;
        if (const auto ratio = tuned_ratio(kind); ratio && took > 0)
            return {TimeRange::about(took / *ratio, error_of_ratio), Basis::timed};
        const auto found = simulated(kind, parse_choice(kind.choice));
        if (!found || network_->assumed) return {};
        CallEstimate estimate{TimeRange::about(*found, error_of_prediction), Basis::predicted};
        if (took <= 0) return estimate;
        // As far as the library took about what its schedules are predicted to take.
        const auto least = baseline(kind);
        if (!least || took < *least / holds || took > *least * library_of_blocks.high * holds)
            return {};
        return estimate;
    } catch (const Error&) {
        return {};
    }
}

}  // namespace eco
