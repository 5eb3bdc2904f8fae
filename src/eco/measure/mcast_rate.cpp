// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_rate.h"

#include <algorithm>
#include <numeric>

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
// Of what passed a queue that overflowed, the part that is tried next.
constexpr double of_passed = 0.97;
// Trains that the first host leaves to the last.
constexpr int of_last = 2;

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

double most_arrived(const std::vector<McastTrain>& trains) {
    double rate = 0;
    for (const McastTrain& train : trains) rate = std::max(rate, train.arrived);
    return rate;
}

double mean_worst(const std::vector<McastTrain>& trains) {
    double sum = 0;
    for (const McastTrain& train : trains) sum += worst(train.loss);
    return sum / static_cast<double>(trains.size());
}

double least_worst(const std::vector<McastTrain>& trains) {
    double least = 1;
    for (const McastTrain& train : trains) least = std::min(least, worst(train.loss));
    return least;
}

class RateSearch {
public:
    RateSearch(double expected, int most, const SendTrain& send) : left_(most), send_(send) {
        found_.rate = expected;
        found_.tried = true;
    }

    McastRate run() {
        const int kept = std::min(left_, of_last);
        left_ -= kept;
        found_.works = settle(false);
        left_ += kept;
        found_.works = found_.works && settle(true) && found_.loss <= most_loss;
        return found_;
    }

private:
    // False where no datagram comes.
    bool settle(bool by_last) {
        std::vector<McastTrain> trains;  // at found_.rate
        bool is_own = false;
        while (!goes_well(trains)) {
            if (trains.size() < looks) {
                if (!send(by_last, found_.rate, trains)) return give_up(trains);
                found_.none_came = trains.size() > 1 && worst(always_lost(trains)) >= 1;
                if (found_.none_came) return false;
                continue;
            }
            std::vector<McastTrain> slow;
            while (!is_own && slow.size() < slower_looks) {
                if (!send(by_last, slower * found_.rate, slow)) return give_up(trains);
                is_own = is_networks_own(trains, slow);
            }
            if (is_own) {
                usual_ = std::max(usual_, 2 * mean_worst(trains));
                break;
            }
            slow_down(slower * found_.rate);
            trains = std::move(slow);
            // What passed tells how fast the queue is.
            if (goes_well(trains)) break;
            slow_to_what_passed(trains);
            trains.clear();
        }
        found_.tried = true;
        // Queues hide for a while that they fill.
        slow_down(most_arrived(trains));
        // A receiver that was busy may lose all of a train, and does not tell how much is usual.
        losses_.push_back(is_own ? mean_worst(trains) : least_worst(trains));
        found_.loss = std::accumulate(losses_.begin(), losses_.end(), 0.0) /
                      static_cast<double>(losses_.size());
        return true;
    }

    // No trains are left. Of these, all at found_.rate, none went well.
    bool give_up(const std::vector<McastTrain>& trains) {
        found_.tried = false;
        found_.loss = least_worst(trains);
        slow_to_what_passed(trains);
        return true;
    }

    void slow_to_what_passed(const std::vector<McastTrain>& trains) {
        const double passed = 1 - least_worst(trains);
        if (passed > 0) slow_down(of_passed * passed * found_.rate);
    }

    // One of the trains at least; or all show the same rate that passes.
    bool goes_well(const std::vector<McastTrain>& trains) const {
        if (trains.empty() || worst(always_lost(trains)) > usual_) return false;
        return trains.size() > 1 || most_arrived(trains) >= slower * found_.rate;
    }

    bool send(bool by_last, double rate, std::vector<McastTrain>& trains) {
        if (left_ <= 0) return false;
        --left_;
        trains.push_back(send_(by_last, rate));
        return true;
    }

    void slow_down(double rate) {
        if (rate < slower * 1.01 * found_.rate) losses_.clear();
        found_.rate = std::min(found_.rate, rate);
    }

    int left_;
    const SendTrain& send_;
    double usual_ = few;          // what no train has to answer for
    std::vector<double> losses_;  // of both ends
    McastRate found_;
};

}  // namespace

McastRate find_mcast_rate(double expected, int most, const SendTrain& send) {
    return RateSearch(expected, most, send).run();
}

}  // namespace eco
