// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/verdict.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "eco/base/log2.h"

namespace eco {

namespace {

// The margin is the 90th percentile; on a normal distribution that is so many deviations.
constexpr double deviations_in_margin = 1.28;

// What schedules that simulation does not judge gain in the mean.
constexpr double benefit_of_unseen = 0.02;

// The mean of what is above zero of a normal distribution.
double mean_above_zero(double mean, double deviation) {
    const double z = mean / deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double share = std::erfc(-z / std::numbers::sqrt2) / 2;
    return deviation * density + mean * share;
}

}  // namespace

Opinion decide(const Evidence& evidence, const PredictionError& error) {
    Opinion opinion;
    if (evidence.predicted <= 0 || evidence.native <= 0) {
        opinion.verdict = Verdict::unsure;
        opinion.benefit = benefit_of_unseen;
        return opinion;
    }
    const bool known = error.known();
    opinion.gain = evidence.native / (evidence.predicted * error.bias);
    const double uncertainty = error.margin * evidence.native_uncertainty;
    opinion.verdict = Verdict::unsure;
    // Few comparisons, each with some roots, may all have been of fast ones: no schedule is sure to
    // be faster than predicted.
    const double careful_gain = evidence.native / (evidence.predicted * std::max(1.0, error.bias));
    if (known && careful_gain >= least_gain * uncertainty) opinion.verdict = Verdict::eco;
    if (known && opinion.gain * uncertainty < least_gain) opinion.verdict = Verdict::native;
    const double mean = std::log(opinion.gain),
                 deviation = std::max(0.02, std::log(uncertainty) / deviations_in_margin);
    const double best = mean_above_zero(mean, deviation);
    opinion.benefit = opinion.verdict == Verdict::eco ? best - mean : best;
    if (evidence.unseen && opinion.verdict != Verdict::eco)
        opinion.benefit = std::max(opinion.benefit, benefit_of_unseen);
    return opinion;
}

bool surely_faster(const std::vector<Seconds>& native, const std::vector<Seconds>& eco) {
    const auto count = static_cast<double>(eco.size());
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < eco.size(); ++i) {
        const double ratio = portable_log2(native[i] / eco[i]);
        sum += ratio;
        squares += ratio * ratio;
    }
    const double mean = sum / count;
    if (eco.size() < 2) return mean > 0;
    const double variance = std::max(0.0, squares / count - mean * mean) * count / (count - 1);
    return mean > 0 && mean >= 1.5 * std::sqrt(variance / count);
}

}  // namespace eco
