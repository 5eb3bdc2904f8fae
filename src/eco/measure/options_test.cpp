// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/options.h"

#include <gtest/gtest.h>

#include "eco/base/error.h"

namespace eco {

TEST(ProbeOptions, PatternsKeepTheirCommas) {
    const auto options =
        parse_options({"bench", "--patterns", "native,tree:top=star,inner=k2,segments=4,k3",
                       "--sizes", "16,16000"});
    EXPECT_EQ(options.patterns,
              (std::vector<std::string>{"native", "tree:top=star,inner=k2,segments=4", "k3"}));
    EXPECT_EQ(options.sizes, (std::vector<Bytes>{16, 16000}));
}

TEST(ProbeOptions, ATimeIsSetIfChoicesAreMadeOrTheUserSaysOne) {
    EXPECT_EQ(parse_options({"measure"}).within, 60);
    EXPECT_EQ(parse_options({"measure", "--within", "7"}).within, 7);
    EXPECT_EQ(parse_options({"measure", "--no-tune"}).within, 0);
    EXPECT_EQ(parse_options({"measure", "--within", "7", "--no-tune"}).within, 7);
    EXPECT_EQ(parse_options({"tune"}).within, 0);
}

TEST(ProbeOptions, WhatComesOnStandardInput) {
    const auto options = parse_options({"measure", "--partial", "-", "--profile", "-"});
    EXPECT_TRUE(options.partial_on_stdin);
    EXPECT_TRUE(options.profile_on_stdin);
    EXPECT_FALSE(parse_options({"measure", "--profile", "-"}).partial_on_stdin);
    EXPECT_THROW(parse_options({"measure", "--partial", "x"}), Error);
}

TEST(ProbeOptions, MulticastIsTriedIfNotForbidden) {
    EXPECT_TRUE(parse_options({"measure"}).multicast);
    EXPECT_FALSE(parse_options({"measure", "--no-multicast"}).multicast);
}

TEST(ProbeOptions, NonsenseIsRefused) {
    const std::vector<std::vector<std::string>> wrong{{},
                                                      {"fly"},
                                                      {"measure", "--sizes", "0"},
                                                      {"measure", "--sizes", "ten"},
                                                      {"measure", "--repeats"},
                                                      {"measure", "--tolerance", "-1"},
                                                      {"bench", "--operations", "bcast,fly"},
                                                      {"bench", "--order", "random"},
                                                      {"bench", "--form", "immediate"},
                                                      {"bench", "--sizes", "0"},
                                                      {"tune", "--unknown", "1"}};
    for (const auto& arguments : wrong) EXPECT_THROW(parse_options(arguments), Error);
}

}  // namespace eco
