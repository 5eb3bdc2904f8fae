// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/log2.h"

#include <gtest/gtest.h>

namespace eco {

TEST(PortableLog2, IsExactForPowersOfTwo) {
    for (int exponent = -40; exponent <= 40; ++exponent)
        EXPECT_EQ(portable_log2(std::ldexp(1.0, exponent)), exponent);
}

TEST(PortableLog2, IsTheLogarithm) {
    for (double x = 1e-3; x < 1e6; x *= 1.0137)
        EXPECT_NEAR(portable_log2(x), std::log2(x), 4e-15 * std::max(1.0, std::abs(std::log2(x))));
}

// The same bits on all machines.
TEST(PortableLog2, HasTheseBits) {
    EXPECT_EQ(portable_log2(3), 0x1.95c01a39fbd68p+0);
    EXPECT_EQ(portable_log2(1000), 0x1.3ee7b471b3a95p+3);
}

}  // namespace eco
