// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/host_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace eco {

class HostMemory : public testing::Test {
protected:
    ~HostMemory() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((folder_ / file).parent_path());
        std::ofstream(folder_ / file) << text;
    }
    Bytes found() const { return host_memory(folder_ / "self", folder_ / "groups"); }
    const std::filesystem::path folder_ =
        std::filesystem::path(testing::TempDir()) / ("eco-host-memory-" + std::to_string(getpid()));
    const Bytes all_ = host_memory("/none", "/none");
};

TEST_F(HostMemory, IsAllOfTheHostWhereNothingLimitsIt) {
    EXPECT_GT(all_, 1 << 20);
    EXPECT_EQ(found(), all_);
    write("self", "0::/\n");
    write("groups/memory.max", "max\n");
    EXPECT_EQ(found(), all_);
}

TEST_F(HostMemory, IsTheLeastLimitOfTheGroupsThatHoldTheProcess) {
    write("self", "0::/job/step\n");
    write("groups/job/step/memory.max", "max\n");
    write("groups/job/memory.max", "4096\n");
    write("groups/other/memory.max", "100\n");
    EXPECT_EQ(found(), 4096);
    write("groups/job/step/memory.max", "1000\n");
    EXPECT_EQ(found(), 1000);
}

TEST_F(HostMemory, IsLimitedByGroupsOfTheFirstVersion) {
    write("self", "9:cpu,memory:/job\n8:cpuset:/\n");
    write("groups/memory/job/memory.limit_in_bytes", "8192\n");
    EXPECT_EQ(found(), 8192);
}

}  // namespace eco
