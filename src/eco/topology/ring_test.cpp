// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace eco {

static double ring_cost(const Matrix& cost, const std::vector<int>& ring) {
    double sum = 0.0;
    for (std::size_t i = 0; i < ring.size(); ++i) sum += cost(ring[i], ring[(i + 1) % ring.size()]);
    return sum;
}

TEST(Ring, SubnetsStayTogetherWhateverTheHostOrder) {
    std::mt19937 random(1);
    for (int draw = 0; draw < 50; ++draw) {
        std::vector<int> subnet{0, 0, 0, 1, 1, 1, 1, 2, 2};
        std::shuffle(subnet.begin(), subnet.end(), random);
        Matrix cost(9);
        std::uniform_real_distribution<double> noise(1.0, 1.05);
        for (int a = 0; a < 9; ++a)
            for (int b = a + 1; b < 9; ++b)
                cost.set(a, b,
                         noise(random) * (subnet[static_cast<std::size_t>(a)] ==
                                                  subnet[static_cast<std::size_t>(b)]
                                              ? 1.0
                                              : 3.0));
        const auto levels = find_levels(cost, 0.2);
        const auto ring = near_ring(cost, levels);
        // Cut open it keeps the subnets whole too.
        EXPECT_NE(subnet[static_cast<std::size_t>(ring.front())],
                  subnet[static_cast<std::size_t>(ring.back())]);
        int borders = 0;
        for (std::size_t i = 0; i < ring.size(); ++i)
            borders += subnet[static_cast<std::size_t>(ring[i])] !=
                       subnet[static_cast<std::size_t>(ring[(i + 1) % ring.size()])];
        EXPECT_EQ(borders, 3);
        std::vector<int> given(9);
        std::iota(given.begin(), given.end(), 0);
        EXPECT_LE(ring_cost(cost, ring), ring_cost(cost, given) + 1e-12);
    }
}

TEST(Ring, HostsOnALineAreNotCrossed) {
    const std::vector<double> at{0.0, 5.0, 1.0, 4.0, 2.0, 3.0};
    Matrix cost(6);
    for (int a = 0; a < 6; ++a)
        for (int b = a + 1; b < 6; ++b)
            cost.set(a, b,
                     std::abs(at[static_cast<std::size_t>(a)] - at[static_cast<std::size_t>(b)]));
    EXPECT_DOUBLE_EQ(ring_cost(cost, near_ring(cost, {std::vector<int>(6, 0)})), 10.0);
}

}  // namespace eco
