// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/replace_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "eco/base/text.h"

namespace eco {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
protected:
    ReplaceFile() : folder_(mkdtemp(name_)), path_(folder_ + "/file") {}
    ~ReplaceFile() override { fs::remove_all(folder_); }
    // Nothing else is left beside it.
    long files() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }

    char name_[32] = "/tmp/eco-replace-XXXXXX";
    std::string folder_, path_;
};

TEST_F(ReplaceFile, MakesOneAndReplacesIt) {
    EXPECT_EQ(replace_file(path_, "first"), 0);
    EXPECT_EQ(replace_file(path_, "next"), 0);
    EXPECT_EQ(read_text(path_), "next");
    EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, ALinkStaysOne) {
    const std::string link = folder_ + "/link";
    ASSERT_EQ(replace_file(path_, "first"), 0);
    fs::create_symlink(path_, link);
    EXPECT_EQ(replace_file(link, "next"), 0);
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_text(path_), "next");
}

TEST_F(ReplaceFile, APipeIsWrittenTo) {
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    EXPECT_EQ(replace_file(path_, "text"), ENXIO);  // nobody reads
    const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
    EXPECT_EQ(replace_file(path_, "text"), 0);
    char got[8] = "";
    EXPECT_EQ(read(reader, got, sizeof got), 4);
    EXPECT_STREQ(got, "text");
    close(reader);
    EXPECT_TRUE(fs::is_fifo(path_));
}

TEST_F(ReplaceFile, SaysWhyNot) {
    EXPECT_EQ(replace_file("/dev/full", "text"), ENOSPC);
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    EXPECT_EQ(replace_file(folder_ + "/missing/file", "text"), ENOENT);
    EXPECT_EQ(replace_file(folder_, "text"), EISDIR);
    EXPECT_EQ(files(), 0);
}

}  // namespace eco
