// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/cell.h"

#include <algorithm>
#include <numeric>

#include "eco/mpi/mpi_transport.h"
#include "eco/planners/choice_text.h"
#include "eco/simulate/simulate.h"
#include "eco/simulate/verdict.h"

namespace eco {

namespace {

// After a few runs each: so much slower than the best, or than the library, is out.
constexpr double clear_loss = 1.2, hopeless = 1.3;
// So much faster in every run is sure.
constexpr double clear_win = 0.85;

// Few programs call scans and reduce-scatters, and those rarely (Chunduri et al., SC 2018).
constexpr double weight_of_rare = 0.6;

constexpr std::size_t most_contestants = 7, most_finalists = 3;

std::size_t samples_of(const std::vector<Sampled>& patterns) {
    return patterns.front().samples.size();
}

bool always_faster(const Sampled& eco, const Sampled& native) {
    return *std::max_element(eco.samples.begin(), eco.samples.end()) <
           clear_win * *std::min_element(native.samples.begin(), native.samples.end());
}

// Of the library and ECO, in the runs from `first` on.
enum class Faster { unclear, native, eco };

Faster faster_since(const std::vector<Sampled>& patterns, std::size_t first) {
    const auto samples_since = [first](const std::vector<Seconds>& samples) {
        return std::vector<Seconds>(samples.begin() + static_cast<std::ptrdiff_t>(first),
                                    samples.end());
    };
    const auto native = samples_since(patterns[0].samples),
               eco = samples_since(patterns[1].samples);
    if (surely_faster(native, eco)) return Faster::eco;
    return surely_faster(eco, native) ? Faster::native : Faster::unclear;
}

}  // namespace

Cell::Cell(Lineup& lineup, Operation operation, Bytes bytes, const Forecast* forecast)
    : lineup_(&lineup), operation_(operation), bytes_(bytes), forecast_(forecast) {
    const Request request{operation, &communicator_of(lineup.comm)->hierarchy(), 0, true};
    field_ = field(request, bytes, forecast);
    std::erase_if(field_, [](const Choice& choice) {
        return (choice.rails > 0 && !session()->rails.open) ||
               (choice.is_mcast() && !session()->mcast.channel);
    });
    unseen_ = std::any_of(field_.begin(), field_.end(), [&](const Choice& choice) {
        return !forecast || !can_simulate(choice) || choice.window > 0 || choice.rails > 0;
    });
}

void Cell::run(std::vector<Sampled>& patterns, Effort effort, bool warm_up, Countdown& deadline) {
    effort.limit = &deadline;
    Trial trial(operation_, bytes_, lineup_->comm);
    const std::size_t before = samples_of(patterns);
    Seconds took = interleave(trial, patterns, *lineup_->start, effort, warm_up);
    const std::size_t rounds = samples_of(patterns) - before;
    if (warm_up || rounds == 0) return;
    for (const Sampled& pattern : patterns)
        took -= std::accumulate(pattern.samples.end() - static_cast<std::ptrdiff_t>(rounds),
                                pattern.samples.end(), 0.0);
    took /= static_cast<double>(rounds * patterns.size());
    lineup_->overhead = 0.8 * lineup_->overhead + 0.2 * std::max(0.0, took);
}

void Cell::time_native(int runs, bool warm_up, Countdown& deadline) {
    std::vector<Sampled> patterns{{"native", {}, natives_}};
    run(patterns, {0, 0, runs, runs, runs, true}, warm_up, deadline);
    natives_ = patterns.front().samples;
    native_ = *std::min_element(natives_.begin(), natives_.end());
    // Long calls vary little but by their root, and predictions are means over roots.
    if (traits(operation_).rooted() && native_ >= short_call)
        native_ = std::accumulate(natives_.begin(), natives_.end(), 0.0) /
                  static_cast<double>(natives_.size());
}

double Cell::weight() const {
    const Operation operation = base(operation_);
    const bool rare = operation == Operation::scan || operation == Operation::exscan ||
                      operation == Operation::reduce_scatter;
    return lineup_->weight * (rare ? weight_of_rare : 1);
}

Seconds Cell::run_time() const { return std::max(native_, predicted()) + lineup_->overhead; }

std::size_t Cell::contestants(Seconds allowance) const {
    const auto affordable = static_cast<std::size_t>(allowance / 4 / run_time());
    return std::min({std::max<std::size_t>(affordable, 1), field_.size(), most_contestants});
}

Seconds Cell::cost_of_contest(Seconds allowance) const {
    // A long call that neither wins nor loses clearly runs six times.
    return std::max(allowance, (native_ < short_call ? 3.5 : 6.0) * run_time());
}

bool Cell::run_until_clear(std::vector<Sampled>& patterns, const Effort& effort, int patience,
                           bool warm_up, Countdown& deadline) {
    const std::size_t first = samples_of(patterns);
    Faster faster = Faster::unclear;
    for (int batch = 0; batch < patience && faster == Faster::unclear; ++batch) {
        if (batch > 0 && deadline.left() <= effort.budget) break;
        run(patterns, effort, warm_up && batch == 0, deadline);
        faster = faster_since(patterns, first);
    }
    return faster == Faster::eco;
}

void Cell::compare_with_native(Seconds allowance, int patience, Countdown& deadline) {
    std::vector<Sampled> patterns{{"native", {}, {}}};
    for (std::size_t i = 0; i < contestants(allowance); ++i)
        patterns.push_back({to_text(field_[i]), field_[i], {}});
    const auto by_median = [](const Sampled& a, const Sampled& b) {
        return median(a.samples) < median(b.samples);
    };
    const auto best_of = [&] {
        return std::min_element(patterns.begin() + 1, patterns.end(), by_median);
    };
    const bool is_short = native_ < short_call;
    const int few = is_short ? 2 : 1;
    run(patterns, {allowance / 2, allowance / 4, few, few, 4 * patience, true}, is_short, deadline);
    note_error(patterns);
    std::sort(patterns.begin() + 1, patterns.end(), by_median);
    patterns.resize(std::min(patterns.size(), most_finalists + 1), patterns.front());
    const Seconds limit = clear_loss * median(best_of()->samples);
    patterns.erase(
        std::remove_if(patterns.begin() + 1, patterns.end(),
                       [&](const Sampled& each) { return median(each.samples) > limit; }),
        patterns.end());
    const auto is_time_for_round = [&] {
        return deadline.left() > static_cast<double>(patterns.size()) * run_time();
    };
    if (patterns.size() > 2 && is_time_for_round())
        run(patterns, {allowance / 4, allowance / 8, 1, 4, 8 * patience, true}, false, deadline);
    note_error(patterns);
    const Sampled best = *best_of();
    patterns = {patterns.front(), best};
    patterns_ = patterns;
    const bool lost = median(best.samples) > hopeless * median(patterns_.front().samples);
    // Long calls vary little, and the library was timed alone before.
    Sampled natives = patterns_.front();
    natives.samples.insert(natives.samples.end(), natives_.begin(), natives_.end());
    const bool won = natives.samples.size() >= (is_short ? 4 : 2) && always_faster(best, natives);
    // The best of several was chosen by the runs before, so these favour it.
    const Effort more{allowance / 4, allowance / 4, 2, 6, 24, true};
    const bool sure =
        won || lost ||
        (is_time_for_round() && run_until_clear(patterns_, more, patience, false, deadline));
    note_error(patterns_);
    judge(timed_, patterns_);
    timed_.best = best.choice;
    timed_.wins = timed_.wins && !lost && sure;
    native_ = timed_.native;
    ++looks_;
}

void Cell::confirm_winner(Seconds allowance, int patience, Countdown& deadline) {
    std::vector<Sampled> fresh = patterns_;
    for (Sampled& each : fresh) each.samples.clear();
    const Effort effort{allowance / 2, allowance / 2, 3, 12, 48, true};
    const bool loses = !run_until_clear(fresh, effort, patience, true, deadline);
    for (std::size_t i = 0; i < fresh.size(); ++i)
        patterns_[i].samples.insert(patterns_[i].samples.end(), fresh[i].samples.begin(),
                                    fresh[i].samples.end());
    judge(timed_, patterns_);
    timed_.wins = timed_.wins && !loses;
    ++looks_;
}

void Cell::note_error(const std::vector<Sampled>& patterns) {
    if (!forecast_) return;
    for (const Sampled& each : patterns)
        if (each.choice == forecast_->choices.front().choice && !each.samples.empty())
            error_ = median(each.samples) / predicted();
}

}  // namespace eco
