// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/line_code.h"

#include <gtest/gtest.h>

#include "eco/base/text.h"

namespace eco {

// The sums are zlib's; tests/commands/test_line_code.py reads the same lines.
TEST(LineCode, EachLineHasAPlaceAndASum) {
    const auto lines =
        split(coded_lines(R"({"event":"note","text":"90.5 % ä"})", 1, Arrival::must, 7), '\n');
    EXPECT_EQ(lines[0].find("@eco.BAAAAA.r7.0.eyJldmVudCI6Im5vdGUiLCJ0ZXh0IjoiOTAu."), 0U);
    EXPECT_EQ(lines[1].find("@eco.BAAAAA.r7.1z.NSAlIMOkIn0."), 0U);
}

TEST(LineCode, LinesAreShortAndOfSafeCharacters) {
    std::string text;
    for (int n = 0; n < 5000; ++n) text += static_cast<char>(n);
    const auto lines = split(coded_lines(text, ~0ULL, Arrival::must, 123), '\n');
    EXPECT_GT(lines.size(), 100U);
    for (const std::string& line : lines) {
        EXPECT_EQ(line.size(), 63U) << "no buffer of a launcher ends within a line";
        EXPECT_EQ(line.find_first_not_of("@.-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "abcdefghijklmnopqrstuvwxyz "),
                  std::string::npos);
    }
}

}  // namespace eco
