// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_rate.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace eco {

namespace {

constexpr double slower = 0.7;
// So few are repaired at little cost.
constexpr double few = 0.05;
// With more than that multicast is of no use.
constexpr double most_loss = 0.3;
// Trains at one rate, until one loses only few: the others lost theirs by chance then.
constexpr std::size_t looks = 3, slower_looks = 2;
// How much less than usual a train loses by chance.
constexpr double chance = 0.02;

double worst(const std::vector<double>& loss) {
    return loss.empty() ? 0 : *std::max_element(loss.begin(), loss.end());
}

// What each receiver lost in every train.
std::vector<double> always_lost(const std::vector<McastTrain>& trains) {
    std::vector<double> least = trains.front().loss;
    for (const McastTrain& train : trains)
        std::transform(least.begin(), least.end(), train.loss.begin(), least.begin(),
                       [](double a, double b) { return std::min(a, b); });
    return least;
}

// Of the receivers that always lost much, at least half as much as the one that lost most.
double mean_lost(const std::vector<double>& always, const std::vector<McastTrain>& trains) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < always.size(); ++i)
        for (const McastTrain& train : trains)
            if (always[i] >= worst(always) / 2) sum += train.loss[i], ++count;
    return sum / count;
}

// The slower trains lose about as much as the faster ones did. If a queue that overflows were the
// reason, as many datagrams per second would arrive as before.
bool is_networks_own(const std::vector<McastTrain>& fast, const std::vector<McastTrain>& slow) {
    const std::vector<double> always = always_lost(fast);
    const double before = mean_lost(always, fast), now = mean_lost(always, slow);
    const double of_queue = std::max(0.0, 1 - (1 - before) / slower);
    return now >= of_queue + (before - of_queue) / 2 - chance;
}

double mean_worst(std::span<const McastTrain> trains) {
    double sum = 0;
    for (const McastTrain& train : trains) sum += worst(train.loss);
    return sum / static_cast<double>(trains.size());
}

}  // namespace

McastRate find_mcast_rate(double expected, int most, const SendTrain& send) {
    McastRate found;
    found.rate = expected;
    double usual = few;
    double of_first = -1;
    for (const bool by_last : {false, true}) {
        std::vector<McastTrain> trains;  // at found.rate
        for (bool settled = false; !settled;) {
            while (trains.size() < looks &&
                   (trains.empty() || worst(always_lost(trains)) > usual)) {
                if (most-- == 0) return found;
                trains.push_back(send(by_last, found.rate));
                found.none_came = trains.size() > 1 && worst(always_lost(trains)) >= 1;
                if (found.none_came) return found;
            }
            settled = worst(always_lost(trains)) <= usual;
            std::vector<McastTrain> slow;
            while (!settled && slow.size() < slower_looks) {
                if (most-- == 0) return found;
                slow.push_back(send(by_last, slower * found.rate));
                settled = is_networks_own(trains, slow);
                if (settled) usual = std::max(usual, 2 * mean_worst(trains));
            }
            if (settled) break;
            found.rate *= slower;
            trains = std::move(slow);
            of_first = -1;
        }
        // Queues hide for a while that they fill.
        double arrived = 0;
        for (const McastTrain& train : trains) arrived = std::max(arrived, train.arrived);
        found.rate = std::min(found.rate, std::max(arrived, slower * found.rate));
        const double loss = mean_worst(trains);
        found.loss = of_first < 0 ? loss : (of_first + loss) / 2;
        of_first = loss;
    }
    found.works = found.loss <= most_loss;
    return found;
}

}  // namespace eco
