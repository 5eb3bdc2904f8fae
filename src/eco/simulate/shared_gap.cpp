// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/shared_gap.h"

#include <algorithm>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/simulate/simulate.h"

namespace eco {

namespace {

// More hosts show no more, and processors that they share need ever longer for a step.
constexpr std::size_t most_in_gap_ring = 24;

// All hosts: than predicted, which may be chance.
constexpr double clearly_longer = 1.25;
// What all hosts take longer than predicted against what half of them do: about as much where only
// the slowest host counts, at least twice as much where they share processors; halfway. And against
// the slower half alone: as much where that one has slow hosts.
constexpr double clearly_more = 1.4, more_than_either = 1.1;
// What the longest gap makes a step of all hosts longer, or no gap could be told from chance.
constexpr double could_show = 1.3;
// What all hosts may take longer than with the longest gap, which then counts: many hosts on few
// processors cost each message more than the way of one alone (leaf-4x4: 72 us of 62).
constexpr double explained = 1.5;
// Two hosts alone take so much less than predicted only if the predictions come from times that
// other programs made longer.
constexpr double clearly_less = 0.75;
constexpr std::size_t least_samples = 5;
// Two hosts alone: what their median may exceed their least time, or other programs ran as well. Of
// messages of 75 us, between 16 emulated hosts, medians exceeded it by up to 12 % with nothing else
// running.
constexpr double undisturbed = 1.2;
constexpr int halvings = 12;

// Every so many hosts of all are in the ring.
std::size_t stride_of_gap_ring(std::size_t hosts) {
    return (hosts + most_in_gap_ring - 1) / most_in_gap_ring;
}

}  // namespace

std::size_t hosts_in_gap_ring(std::size_t hosts) {
    const std::size_t stride = stride_of_gap_ring(hosts);
    return (hosts + stride - 1) / stride;
}

std::array<std::vector<int>, 2> halves_of_gap_ring(const std::vector<int>& all) {
    const auto hosts = static_cast<std::ptrdiff_t>(std::max<std::size_t>(2, all.size() / 2));
    return {std::vector<int>(all.begin(), all.begin() + hosts),
            std::vector<int>(all.end() - hosts, all.end())};
}

GapRings gap_rings(const Network& network, const std::vector<int>& ring) {
    GapRings rings;
    const std::size_t stride = stride_of_gap_ring(ring.size());
    for (std::size_t i = 0; i < ring.size(); i += stride) rings.all.push_back(ring[i]);
    rings.halves = halves_of_gap_ring(rings.all);
    Seconds longest = -1;
    for (std::size_t i = 0; i < rings.all.size(); ++i) {
        const std::vector<int> two{rings.all[i], rings.all[(i + 1) % rings.all.size()]};
        const Seconds time = half_round_trip(network, two);
        if (time <= longest) continue;
        longest = time;
        rings.two = two;
    }
    return rings;
}

Seconds half_round_trip(const Network& network, const std::vector<int>& two) {
    return (network.alone(two[0], two[1], 1) + network.alone(two[1], two[0], 1)) / 2;
}

Seconds step_time(const Network& network, const std::vector<int>& ring) {
    const std::size_t hosts = ring.size(), steps = steps_before + steps_timed;
    std::vector<Program> programs;
    const std::vector<Chunk> whole{0};
    for (std::size_t place = 0; place < hosts; ++place) {
        Builder builder(1, false);
        for (std::size_t step = 0; step < steps; ++step) {
            const auto bank = static_cast<int>(step);
            builder.send(static_cast<Rank>((place + 1) % hosts),
                         step == 0 ? input : scratch(bank - 1), whole);
            builder.recv(static_cast<Rank>((place + hosts - 1) % hosts), scratch(bank), whole);
        }
        programs.push_back(builder.finish());
    }
    // As the hosts are timed, each by itself. Each step has two tasks.
    const Timeline timeline =
        simulate(network, ring, programs, [](Chunk, int) { return Bytes{1}; });
    Seconds longest = 0;
    for (const auto& tasks : timeline.tasks)
        longest = std::max(longest, tasks[2 * steps - 1].end - tasks[2 * steps_before - 1].end);
    return longest / static_cast<double>(steps_timed);
}

Seconds longest_shared_gap(const Network& network, const std::vector<int>& ring) {
    std::vector<Seconds> longest;
    for (std::size_t i = 0; i < ring.size(); ++i)
        longest.push_back(network.longest_gap(ring[i], ring[(i + 1) % ring.size()]));
    return upper_median(std::move(longest));
}

bool could_show_gap(Network network, const GapRings& rings) {
    network.shared_gap = 0;
    const Seconds without = step_time(network, rings.all);
    network.shared_gap = longest_shared_gap(network, rings.all);
    return step_time(network, rings.all) >= could_show * without;
}

bool settled(const StepTimes& steps) {
    return steps.two.size() >= least_samples &&
           upper_median(steps.two) <=
               undisturbed * *std::min_element(steps.two.begin(), steps.two.end());
}

SharedGap find_shared_gap(Network network, const GapRings& rings, const StepTimes& steps) {
    if (steps.two.size() < least_samples) return {0, "there was no time left to find out"};
    if (!settled(steps)) return {0, "the hosts or their network were busy with something else"};
    network.shared_gap = 0;
    const Seconds all_predicted = step_time(network, rings.all);
    const double two_longer = upper_median(steps.two) / half_round_trip(network, rings.two);
    // What two hosts alone take longer all of them take longer, whatever they share.
    const auto cleared = [&](const std::vector<Seconds>& times) {
        return upper_median(times) / std::max(1.0, two_longer);
    };
    const Seconds all = cleared(steps.all);
    // Longer than predicted.
    const auto of_half = [&](std::size_t i) {
        return cleared(steps.halves[i]) - step_time(network, rings.halves[i]);
    };
    const Seconds of_all = all - all_predicted, first = of_half(0), second = of_half(1);
    const bool more = of_all >= clearly_more * (first + second) / 2 &&
                      of_all >= more_than_either * std::max(first, second);
    if (all < clearly_longer * all_predicted || !more) {
        if (two_longer >= clearly_less) return {};
        return {0, "messages between two hosts now take much less than when pairs were timed"};
    }
    Seconds least = 0, most = longest_shared_gap(network, rings.all);
    network.shared_gap = most;
    if (explained * step_time(network, rings.all) < all)
        return {0, "messages around all hosts take longer than shared processors explain"};
    for (int halving = 0; halving < halvings; ++halving) {
        network.shared_gap = (least + most) / 2;
        (step_time(network, rings.all) < all ? least : most) = network.shared_gap;
    }
    return {(least + most) / 2, ""};
}

}  // namespace eco
