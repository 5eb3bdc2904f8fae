// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/derive_model.h"

#include <algorithm>
#include <cmath>

#include "eco/base/median.h"
#include "eco/topology/profile_reader.h"

namespace eco {

// Of the latency, what sender and receiver are each taken to spend where it was not measured.
static constexpr double overhead_share = 0.05;

Model derive_model(const Profile& profile) {
    const int hosts = static_cast<int>(profile.hosts.size());
    Model model;
    model.assumed = true;
    model.fixed = Table(profile.hosts.size(), std::vector<double>(profile.hosts.size(), 0));
    model.per_byte = model.fixed;
    std::vector<double> errors;
    for (int a = 0; a < hosts; ++a) {
        Seconds least = longest_message;
        for (int b = 0; b < hosts; ++b)
            if (b != a) least = std::min(least, profile.minimum.front()(a, b));
        const Cost overhead{hosts > 1 ? overhead_share * least : 0, 0};
        model.send.push_back(overhead);
        model.receive.push_back(overhead);
    }
    for (int a = 0; a < hosts; ++a)
        for (int b = 0; b < hosts; ++b) {
            if (a == b) continue;
            std::vector<Seconds> times;
            for (const auto& matrix : profile.minimum) times.push_back(matrix(a, b));
            const Cost line = fit_line({profile.sizes.begin(), profile.sizes.end()}, times);
            for (std::size_t s = 0; s < times.size(); ++s)
                errors.push_back(std::abs(line.of(profile.sizes[s]) / times[s] - 1));
            const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
            model.fixed[row][column] =
                std::max(0.0, line.fixed - model.send[row].fixed - model.receive[column].fixed);
            model.per_byte[row][column] = line.per_byte;
        }
    if (!errors.empty()) model.error = upper_median(std::move(errors));
    return model;
}

}  // namespace eco
