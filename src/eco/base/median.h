// SPDX-License-Identifier: BSD-3-Clause
// The middle of a list of numbers.
#pragma once

#include <algorithm>
#include <vector>

namespace eco {

// The upper of the two middle ones where their number is even: always one of them. Of an empty
// list 0. O(n).
inline double upper_median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace eco
