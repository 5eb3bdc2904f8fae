// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/found_once.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace eco {

// The second one asks while the first is at it.
TEST(FoundOnce, IsFoundByOneThreadOnly) {
    FoundOnce<int> once;
    std::atomic<int> asked = 0, found = 0;
    const auto ask = [&] {
        ++asked;
        once.get([&] {
            while (asked < 2) std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return ++found;
        });
    };
    std::thread first(ask), second(ask);
    first.join();
    second.join();
    EXPECT_EQ(found, 1);
    EXPECT_EQ(once.get([] { return 7; }), 1);
}

TEST(FoundOnce, IsLookedForAgainAfterAFailure) {
    FoundOnce<int> once;
    EXPECT_THROW(once.get([]() -> int { throw std::runtime_error("no memory"); }),
                 std::runtime_error);
    EXPECT_EQ(once.get([] { return 7; }), 7);
}

}  // namespace eco
