// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/program_name.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Program, IsNamedByItsFile) {
    EXPECT_EQ(name_of_program({"/opt/bin/solve", "-n", "3"}), "solve");
    EXPECT_EQ(name_of_program({"solve"}), "solve");
    EXPECT_EQ(name_of_program({"pythonic", "mesh"}), "pythonic");
    EXPECT_EQ(name_of_program(std::vector<std::string>{}), "");
}

TEST(Program, OfAnInterpreterIsTheScript) {
    EXPECT_EQ(name_of_program({"/usr/bin/python3.11", "-u", "runs/train.py", "4"}), "train.py");
    EXPECT_EQ(name_of_program({"python3", "-m", "train"}), "train");
    EXPECT_EQ(name_of_program({"python3", "-m", "mpi4py", "runs/train.py"}), "train.py");
    EXPECT_EQ(name_of_program({"python3", "-m", "mpi4py", "-m", "train"}), "train");
    EXPECT_EQ(name_of_program({"python3", "-W", "ignore", "-X", "dev", "train.py"}), "train.py");
    EXPECT_EQ(name_of_program({"python3", "-c", "import os\nos.stat('/train.py')"}), "python3");
    EXPECT_EQ(name_of_program({"python3"}), "python3");
}

TEST(Program, IsPrintable) {
    EXPECT_EQ(name_of_program({"/home/x/l\xf6ser"}), "l?ser");
    EXPECT_EQ(name_of_program({"a\nb"}), "a?b");
}

TEST(Program, OfThisProcess) { EXPECT_EQ(name_of_program(), "learn_test"); }

}  // namespace eco
