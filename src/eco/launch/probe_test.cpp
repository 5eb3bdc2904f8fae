// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/probe.h"

#include <gtest/gtest.h>

#include "eco/base/error.h"

namespace eco::launch {

TEST(ProbeOptions, AllButTheMpiIsTheProbesOwn) {
    const ProbeOptions options =
        read_probe_options({"--sizes", "1,1000", "--mpi", "openmpi", "-o", "net.json"});
    EXPECT_EQ(options.abi, Abi::openmpi);
    EXPECT_EQ(options.rest, (std::vector<std::string>{"--sizes", "1,1000", "-o", "net.json"}));
    EXPECT_FALSE(read_probe_options({}).abi);
    EXPECT_THROW(read_probe_options({"--mpi", "lam"}), Error);
    EXPECT_THROW(read_probe_options({"--mpi"}), Error);
}

}  // namespace eco::launch
