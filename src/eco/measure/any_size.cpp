// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/any_size.h"

#include <algorithm>

#include "eco/planners/choice_text.h"

namespace eco {

namespace {

// Slower than the library by so much at one size: out.
constexpr double hopeless_anywhere = 1.1;

// Candidates timed at most, the likely best first.
constexpr std::size_t most_for_any_size = 4;

struct Contestant {
    Choice choice;
    double worst = 0;  // time over native's, at the size where it is the slowest
};

}  // namespace

std::optional<Timed> choose_for_all_sizes(Lineup& lineup, Operation operation,
                                          const std::vector<SizeExpected>& sizes, Seconds allowance,
                                          Countdown& deadline) {
    const Request request{operation, &communicator_of(lineup.comm)->hierarchy(), 0, true};
    std::vector<Contestant> contestants;
    for (const Choice& choice : field(request, -1, nullptr))
        if (choice.rails == 0 && contestants.size() < most_for_any_size)
            contestants.push_back({choice, 0});
    const auto affordable = [&](Seconds native, std::size_t patterns) {
        const Seconds run = native + lineup.overhead;
        return std::max(allowance, 2.0 * static_cast<double>(patterns) * run) * 1.3 <
               deadline.left();
    };
    Timed last;
    for (const auto& [bytes, expected] : sizes) {
        if (!affordable(expected, contestants.size() + 1)) return std::nullopt;
        Trial trial(operation, bytes, lineup.comm);
        std::vector<Sampled> patterns{{"native", {}, {}}};
        for (const Contestant& each : contestants)
            patterns.push_back({to_text(each.choice), each.choice, {}});
        const bool is_long = expected > 0.1;
        interleave(trial, patterns, *lineup.start,
                   {allowance, allowance / 2, is_long ? 1 : 2, 2, 6, true, &deadline}, !is_long);
        last.native = median(patterns.front().samples);
        for (std::size_t i = 0; i < contestants.size(); ++i)
            contestants[i].worst =
                std::max(contestants[i].worst, median(patterns[i + 1].samples) / last.native);
        last.best = contestants.front().choice;
        last.eco = contestants.front().worst * last.native;
        std::erase_if(contestants,
                      [](const Contestant& each) { return each.worst > hopeless_anywhere; });
        if (contestants.empty()) return last;  // the library's
    }
    const auto best = std::min_element(
        contestants.begin(), contestants.end(),
        [](const Contestant& a, const Contestant& b) { return a.worst < b.worst; });
    Timed least;
    bool wins = false;
    for (const auto& [bytes, expected] : sizes) {
        if (!affordable(expected, 2)) return std::nullopt;
        Trial trial(operation, bytes, lineup.comm);
        std::vector<Sampled> patterns{{"native", {}, {}},
                                      {to_text(best->choice), best->choice, {}}};
        interleave(trial, patterns, *lineup.start,
                   {allowance, allowance / 2, 2, 8, 48, true, &deadline}, false);
        if (patterns.front().samples.size() < 2) return std::nullopt;  // one may be chance
        Timed timed;
        judge(timed, patterns);
        timed.best = best->choice;
        if (least.native == 0 || timed.eco / timed.native > least.eco / least.native) least = timed;
        wins = wins || timed.wins;
        if (timed.eco > good_runs * timed.native) {
            least.wins = false;
            return least;
        }
    }
    least.wins = wins;
    return least;
}

}  // namespace eco
