// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/prediction_error.h"

#include <algorithm>
#include <cmath>

#include "eco/base/median.h"

namespace eco {

namespace {

// The value that a share of the sorted ones do not exceed. Of few the last one or the first.
double quantile(const std::vector<double>& sorted, double share) {
    const double last = static_cast<double>(sorted.size() - 1), position = share * last;
    const double whole = share > 0.5 ? std::ceil(position) : std::floor(position);
    return sorted[static_cast<std::size_t>(whole)];
}

constexpr double most = 0.9;

// Timing a schedule twice differs by about so much.
constexpr double least_margin = 1.02;

}  // namespace

double high_quantile(std::vector<double> ratios) {
    std::sort(ratios.begin(), ratios.end());
    return quantile(ratios, most);
}

PredictionError error_of(std::vector<double> ratios, std::vector<double> libraries) {
    PredictionError error;
    error.samples = static_cast<int>(ratios.size());
    if (ratios.empty()) return error;
    error.bias = upper_median(ratios);
    std::sort(ratios.begin(), ratios.end());
    std::sort(libraries.begin(), libraries.end());
    error.margin = std::max(error.samples <= few_comparisons ? margin_of_few : least_margin,
                            quantile(ratios, most) / error.bias);
    if (!libraries.empty())
        error.clear_gain = error.margin * error.bias / quantile(libraries, 1 - most);
    return error;
}

}  // namespace eco
