// SPDX-License-Identifier: BSD-3-Clause
// For the tests here: makes real programs and libraries in a folder of their own, which goes with
// the test.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace eco::launch {

class Workshop : public ::testing::Test {
protected:
    Workshop() {
        std::string name = std::filesystem::temp_directory_path() / "eco-launch-XXXXXX";
        folder = mkdtemp(name.data());
    }
    ~Workshop() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, const std::string& content,
                      bool executable = false) {
        const std::string path = folder + "/" + name;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path) << content;
        if (executable) std::filesystem::permissions(path, std::filesystem::perms(0755));
        return path;
    }
    // Compiles C source into folder/name; compiler: cc, or an MPI's own.
    std::string compile(const std::string& name, const std::string& source,
                        const std::string& arguments = "", const std::string& compiler = "cc") {
        const std::string file = write(name + ".c", source);
        const std::string path = folder + "/" + name;
        const std::string command =
            "'" + compiler + "' '" + file + "' -o '" + path + "' " + arguments + " 2>&1";
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
        return path;
    }
    static std::string mpicc(const std::string& abi) {
        return std::string(ECO_MPI_PREFIX) + "/" + abi + "/bin/mpicc";
    }

    std::string folder;
};

inline constexpr const char* plain_source = "int main(void) { return 0; }\n";
inline constexpr const char* mpi_source =
    "#include <mpi.h>\n"
    "int main(int c, char** v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n";

}  // namespace eco::launch
