// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/executable.h"

#include "eco/launch/build_programs_test.h"

namespace eco::launch {

using ProgramTest = Workshop;

TEST_F(ProgramTest, FoundAsTheSystemDoes) {
    const std::string tool = write("bin/tool", "#!/bin/sh\n", true);
    write("other/tool", "not executable");
    const Variables variables{{"PATH", folder + "/other:" + folder + "/bin"}};
    EXPECT_EQ(find_program("tool", variables), tool);
    EXPECT_EQ(find_program(tool, variables), tool);
    EXPECT_EQ(find_program("nowhere", variables), "");
    EXPECT_EQ(find_program(folder + "/other/tool", variables), "");
    EXPECT_EQ(find_program(folder, variables), "");
    EXPECT_EQ(find_program("", variables), "");
}

TEST_F(ProgramTest, ScriptsRunByTheirInterpreter) {
    const std::string python = write("bin/python3.11", "binary", true);
    const Variables variables{{"PATH", folder + "/bin"}};
    for (const std::string& line :
         {"#!" + python, "#! " + python + " -u", std::string("#!/usr/bin/env python3.11"),
          std::string("#!/usr/bin/env -S LANG=C python3.11 -u")}) {
        const Executable executable =
            read_executable(write("script", line + "\nimport this\n", true), variables);
        EXPECT_EQ(executable.file, python) << line;
        EXPECT_TRUE(executable.interpreter);
    }
}

TEST_F(ProgramTest, AnInterpreterThatIsAScript) {
    const std::string shim = write("shim", "#!/bin/bash\n", true);
    EXPECT_EQ(read_executable(write("script", "#!" + shim + "\n"), {}).file, "/bin/bash");
    // One that names itself ends all the same.
    const std::string self = folder + "/self";
    EXPECT_EQ(read_executable(write("self", "#!" + self + "\n"), {}).file, self);
}

TEST_F(ProgramTest, InterpretersByName) {
    for (const char* name : {"python", "python3", "python3.11", "bash", "/usr/bin/perl5.36.0", "R"})
        EXPECT_TRUE(read_executable(name, {}).interpreter) << name;
    for (const char* name : {"./pythonic", "hostname", "./a.out", "mdrun"})
        EXPECT_FALSE(read_executable(name, {}).interpreter) << name;
}

}  // namespace eco::launch
