// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/line_code.h"

#include <gtest/gtest.h>

#include "eco/base/text.h"

namespace eco {

// The sums are zlib's; tests/commands/test_line_code.py reads the same lines.
TEST(LineCode, EachLineHasAPlaceAndASum) {
    EXPECT_EQ(coded_lines(R"({"event":"note","text":"90.5 % ä"})", 1, Arrival::must, 7),
              "@eco.BAAAAA.r7.0.eyJldmVudCI6Im5vdGUiLCJ0ZXh0IjoiOTAuNSAl.VgeMrB.\n"
              "@eco.BAAAAA.r7.1z.IMOkIn0.vJ-WXC.\n");
}

TEST(LineCode, LinesAreShortAndOfSafeCharacters) {
    std::string text;
    for (int n = 0; n < 5000; ++n) text += static_cast<char>(n);
    const auto lines = split(coded_lines(text, ~0ULL, Arrival::must, 123), '\n');
    EXPECT_EQ(lines.size(), 167U);
    for (const std::string& line : lines) {
        EXPECT_LE(line.size(), 76U);
        EXPECT_EQ(line.find_first_not_of("@.-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "abcdefghijklmnopqrstuvwxyz"),
                  std::string::npos);
    }
}

}  // namespace eco
