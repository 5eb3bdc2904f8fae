// SPDX-License-Identifier: BSD-3-Clause
// The binary logarithm, by operations that all machines round alike. C libraries' own may differ in
// the last bit from host to host, and ranks must decide alike. Called by selection and planners.
#pragma once

#include <cmath>

namespace eco {

// Of a finite x > 0. Exact for powers of two.
inline double portable_log2(double x) {
    int exponent = 0;
    double part = std::frexp(x, &exponent);  // 0.5 ≤ part < 1
    if (part < 0.7071067811865476) {
        part *= 2;
        --exponent;
    }
    // ln(part) = 2 artanh(t), and |t| < 0.172.
    const double t = (part - 1) / (part + 1);
    double sum = 0;
    for (int power = 27; power > 0; power -= 2) sum = sum * (t * t) + 1.0 / power;
    constexpr double two_over_ln2 = 2.8853900817779268;
    return exponent + two_over_ln2 * t * sum;
}

}  // namespace eco
