// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/contest.h"

#include <algorithm>
#include <numeric>

#include "eco/planners/choice_text.h"
#include "eco/selection/candidates.h"
#include "eco/simulate/simulate.h"

namespace eco {

namespace {

// A choice must be this much faster than native in the mean to be taken.
constexpr double margin = 0.95;

// What takes this much longer than the best after a few rounds will not be the best.
constexpr double far_behind = 1.3;

// Of the best by prediction so many are timed; and of messages that NICs and switches may
// take in at once, so that links seem to carry them for nothing, also the first that are usual.
constexpr std::size_t most_predicted = 4;
constexpr Bytes taken_in_at_once = 4096;
constexpr std::size_t usual_ones = 2;

double mean(const std::vector<Seconds>& samples) {
    return std::accumulate(samples.begin(), samples.end(), 0.0) /
           static_cast<double>(samples.size());
}

}  // namespace

void judge(Timed& timed, const std::vector<Sampled>& patterns) {
    const auto sorted = [](std::vector<Seconds> samples) {
        std::sort(samples.begin(), samples.end());
        return samples;
    };
    const auto natives = sorted(patterns[0].samples), ecos = sorted(patterns[1].samples);
    timed.native = median(natives);
    timed.eco = median(ecos);
    timed.noise = (natives[natives.size() * 3 / 4] - natives[natives.size() / 4]) / timed.native;
    timed.wins =
        mean(ecos) < margin * mean(natives) && timed.eco < good_runs * natives[natives.size() / 4];
}

std::vector<Choice> field(const Request& request, Bytes bytes, const Forecast* forecast) {
    const auto usual = candidates(request, bytes);
    if (!forecast) return usual;
    std::vector<Choice> list;
    for (const Predicted& each : forecast->choices)
        if (list.size() < most_predicted) list.push_back(each.choice);
    for (std::size_t i = 0; i < usual.size(); ++i) {
        // What a window wins predictions do not see: in them links are shared fairly, where a queue
        // serves first who came first, so that messages sent early hold up what is passed on. Nor
        // what disjoint trees win with segments of several frames.
        const bool wanted = !can_simulate(usual[i]) || usual[i].window > 0 || usual[i].rails > 0 ||
                            usual[i].inner().shape == Shape::disjoint ||
                            (i < usual_ones && bytes <= taken_in_at_once);
        if (wanted && std::find(list.begin(), list.end(), usual[i]) == list.end())
            list.push_back(usual[i]);
    }
    return list;
}

std::vector<Sampled> beside_native(Trial& trial, const std::vector<Choice>& choices, Start& start,
                                   Seconds budget) {
    std::vector<Sampled> patterns{{"native", {}, {}}};
    for (const Choice& choice : choices) patterns.push_back({to_text(choice), choice, {}});
    if (trial.form() == CallForm::blocking) return patterns;
    std::vector<Sampled> alone{patterns.front()};
    interleave(trial, alone, start, {budget, budget / 2, 2, 3, 8}, true);
    const Seconds work = median(alone.front().samples);
    for (Sampled& pattern : patterns) pattern.beside = work;
    return patterns;
}

Timed time_candidates(Trial& trial, const std::vector<Choice>& choices, Start& start,
                      Seconds budget, bool warm_up) {
    std::vector<Choice> usable;
    for (const Choice& choice : choices)
        if (!choice.is_native() && (choice.rails == 0 || session()->rails.open) &&
            (!choice.is_mcast() || session()->mcast.channel) && trial.supports(choice))
            usable.push_back(choice);
    std::vector<Sampled> patterns = beside_native(trial, usable, start, budget / 8);
    const auto by_median = [](const Sampled& a, const Sampled& b) {
        return median(a.samples) < median(b.samples);
    };
    const auto best_of = [&] {
        return std::min_element(patterns.begin() + 1, patterns.end(), by_median);
    };
    Timed timed;
    const auto note = [&] {
        for (const Sampled& pattern : patterns)
            timed.ratios[pattern.pattern] =
                median(pattern.samples) / median(patterns.front().samples);
    };
    const int few = warm_up ? 2 : 1;
    if (patterns.size() == 1) {  // so many ranks that only the library will do
        interleave(trial, patterns, start, {budget / 4, budget / 8, few, 3, 8}, warm_up);
        timed.native = timed.eco = median(patterns.front().samples);
        return timed;
    }
    interleave(trial, patterns, start, {budget / 4, budget / 8, few, 3, 8}, warm_up);
    note();
    const Seconds limit = far_behind * median(best_of()->samples);
    patterns.erase(
        std::remove_if(patterns.begin() + 1, patterns.end(),
                       [&](const Sampled& each) { return median(each.samples) > limit; }),
        patterns.end());
    if (patterns.size() > 2) {
        // What is best may depend on the root, so eight of them if that is to be had.
        Seconds round = 0;
        for (const Sampled& pattern : patterns) round += median(pattern.samples);
        const int least = 8 * round < 2 * budget ? 8 : few;
        interleave(trial, patterns, start, {budget / 2, budget / 8, least, 8, 32}, false);
        note();
    }
    const auto best = best_of();
    patterns = {patterns.front(), *best};
    interleave(trial, patterns, start, {budget / 4, budget / 8, few + 1, 16, 96}, false);
    judge(timed, patterns);
    timed.best = patterns[1].choice;
    double& ratio = timed.ratios[patterns[1].pattern];
    ratio = std::max(ratio, timed.eco / timed.native);
    timed.ratios.erase("native");
    return timed;
}

}  // namespace eco
