// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/text.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace eco {

using Words = std::vector<std::string>;

TEST(Text, IsCutAtSeparators) {
    EXPECT_EQ(split("a,b,c", ','), (Words{"a", "b", "c"}));
    EXPECT_EQ(split("a,,c", ','), (Words{"a", "", "c"}));
    EXPECT_EQ(split(",a", ','), (Words{"", "a"}));
    EXPECT_EQ(split("a", ','), Words{"a"});
    EXPECT_EQ(split("", ','), Words{});
}

TEST(Text, HasNothingBehindTheLastEndOfALine) {
    EXPECT_EQ(split("one\ntwo\n", '\n'), (Words{"one", "two"}));
    EXPECT_EQ(split("\n", '\n'), Words{""});
}

TEST(Text, IsCutIntoWords) {
    EXPECT_EQ(words_of("  10.0.0.1\tn1  n1.site\n"), (Words{"10.0.0.1", "n1", "n1.site"}));
    EXPECT_EQ(words_of(" \n"), Words{});
    EXPECT_EQ(words_of(""), Words{});
}

class TextFile : public testing::Test {
protected:
    TextFile() { file_ = fdopen(mkstemp(path_), "w+"); }
    ~TextFile() override {
        std::fclose(file_);
        unlink(path_);
    }
    void holds(std::string_view text) {
        std::fwrite(text.data(), 1, text.size(), file_);
        std::rewind(file_);
    }

    char path_[32] = "/tmp/eco-text-XXXXXX";
    std::FILE* file_ = nullptr;
};

TEST_F(TextFile, IsReadWhole) {
    const std::string text(100000, 'x');
    holds(text + '\0' + "end");
    EXPECT_EQ(read_text(path_), text + '\0' + "end");
}

TEST_F(TextFile, MayBeEmpty) { EXPECT_EQ(read_text(path_), ""); }

TEST_F(TextFile, IsReadByLines) {
    holds("first\n\nlast");
    EXPECT_EQ(read_line(file_), "first");
    EXPECT_EQ(read_line(file_), "");
    EXPECT_EQ(read_rest(file_), "last");
    EXPECT_EQ(read_line(file_), "");
}

TEST(Text, OfAFolderOrOfNothingIsNone) {
    EXPECT_FALSE(read_text("/tmp"));
    EXPECT_FALSE(read_text("/nowhere/at/all"));
}

TEST_F(TextFile, HasNoMarkAtItsBeginning) {
    holds("\xEF\xBB\xBF{\"a\": 1}");
    EXPECT_EQ(read_text(path_), "{\"a\": 1}");
}

}  // namespace eco
