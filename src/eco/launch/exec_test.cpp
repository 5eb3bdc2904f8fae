// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/exec.h"

#include "eco/base/error.h"
#include "eco/launch/build_programs_test.h"

namespace eco::launch {

TEST(ExecOptions, BeforeTheProgramOnly) {
    const ExecOptions options = read_exec_options(
        {"--profile", "net.json", "--mpi=mpich", "--verbose", "--", "./app", "--profile", "own"});
    EXPECT_EQ(options.profile, "net.json");
    EXPECT_EQ(options.abi, Abi::mpich);
    EXPECT_TRUE(options.verbose);
    EXPECT_EQ(options.command, (std::vector<std::string>{"./app", "--profile", "own"}));
    EXPECT_EQ(read_exec_options({"--topology", "net.json", "./app"}).profile, "net.json");
    EXPECT_EQ(read_exec_options({"app", "-v"}).command, (std::vector<std::string>{"app", "-v"}));
}

TEST(ExecOptions, Nonsense) {
    using Words = std::vector<std::string>;
    for (const Words& words : {Words{}, Words{"--"}, Words{"--profile"}, Words{"--profile="},
                               Words{"--mpi", "mvapich", "app"}, Words{"--fast", "app"}})
        try {
            read_exec_options(words);
            FAIL() << (words.empty() ? "" : words[0]);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::usage);
        }
}

TEST(Preload, OthersFirstAsTheyWere) {
    EXPECT_EQ(preload_list("/e/libeco-mpich.so", ""), "/e/libeco-mpich.so");
    EXPECT_EQ(preload_list("/e/libeco-mpich.so", "/t/tool.so /o/libeco-openmpi.so:/u/x.so"),
              "/t/tool.so:/u/x.so:/e/libeco-mpich.so");
}

TEST(Preload, ASanitizersRuntimeBeforeAll) {
    EXPECT_EQ(preload_list("/e/libeco-mpich.so", "/t/tool.so:/l/libasan.so.8", "/l/libasan.so.8"),
              "/l/libasan.so.8:/t/tool.so:/e/libeco-mpich.so");
}

class ExecTest : public Workshop {
protected:
    Preload choose(const std::vector<std::string>& command, Variables variables = {}) {
        variables.emplace("PATH", "/usr/bin:/bin");
        ExecOptions options;
        options.command = command;
        return choose_preload(options, read_executable(command[0], variables), variables);
    }
    const Variables openmpi{{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "0"}};
    const Variables mpich{{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}};
};

TEST_F(ExecTest, TheProgramWinsOverTheLauncher) {
    const std::string app = compile("app", mpi_source, "", mpicc("mpich"));
    EXPECT_EQ(choose({app}).abi, Abi::mpich);
    EXPECT_EQ(choose({app}, openmpi).abi, Abi::mpich);
    EXPECT_EQ(choose({app}).warning, "");
}

TEST_F(ExecTest, OutsideAContainerItCanDoNothing) {
    const std::string runtime = write("podman", "#!/bin/sh\n", true);
    const Preload outside = choose({runtime, "run", "image", "./app"}, openmpi);
    EXPECT_FALSE(outside.abi);
    EXPECT_NE(outside.warning.find("'eco exec' behind the image's name"), std::string::npos);
}

TEST_F(ExecTest, BeforeALauncherItCanDoNothing) {
    const std::string app = compile("app", mpi_source, "", mpicc("openmpi"));
    for (const char* name : {"mpirun", "mpiexec.hydra", "srun"}) {
        const Preload outside = choose({write(name, "#!/bin/sh\n", true), "-n", "2", app});
        EXPECT_FALSE(outside.abi) << name;
        EXPECT_NE(outside.warning.find("put 'eco exec' and its options behind"), std::string::npos);
    }
    EXPECT_EQ(choose({write("mpirunner", "#!/bin/sh\n", true), app}).abi, Abi::openmpi);
}

TEST_F(ExecTest, TheUserWinsOverAll) {
    ExecOptions options;
    options.abi = Abi::standard;
    options.command = {"/bin/true"};
    EXPECT_EQ(choose_preload(options, read_executable("/bin/true", openmpi), openmpi).abi,
              Abi::standard);
}

TEST_F(ExecTest, InterpretersAndScriptsByTheLauncher) {
    const std::string script = write("run", "#!/bin/sh\nexec ./app\n", true);
    EXPECT_EQ(choose({"/usr/bin/python3", "app.py"}, mpich).abi, Abi::mpich);
    EXPECT_EQ(choose({script}, openmpi).abi, Abi::openmpi);
    EXPECT_EQ(choose({script}, openmpi).warning, "");
}

TEST_F(ExecTest, WrappersByWhatTheyStart) {
    const std::string app = compile("app", mpi_source, "", mpicc("openmpi"));
    EXPECT_EQ(choose({"/usr/bin/env", "A=1", app}).abi, Abi::openmpi);
    EXPECT_EQ(choose({"/bin/bash", app}, mpich).abi, Abi::openmpi);
    EXPECT_EQ(choose({"/bin/bash", app}, mpich).program, app);
}

TEST_F(ExecTest, WithoutMpiItRunsAsItIs) {
    const std::string plain = compile("plain", plain_source);
    const Preload alone = choose({plain});
    EXPECT_FALSE(alone.abi);
    EXPECT_NE(alone.warning.find("not linked with MPI"), std::string::npos);
    const Preload launched = choose({plain}, mpich);
    EXPECT_EQ(launched.abi, Abi::mpich);
    EXPECT_NE(launched.warning.find("not linked with MPI"), std::string::npos);
    const Preload unknown = choose({"/usr/bin/python3", "app.py"}, {{"SLURM_PROCID", "0"}});
    EXPECT_FALSE(unknown.abi);
    EXPECT_NE(unknown.warning.find("--mpi"), std::string::npos);
}

TEST_F(ExecTest, MpiLinkedStatically) {
    const std::string path = compile("inside",
                                     "int MPI_Init(int* c, char*** v) { return !c + !v; }\n"
                                     "int main(int c, char** v) { return MPI_Init(&c, &v); }\n");
    const Preload choice = choose({path}, openmpi);
    EXPECT_FALSE(choice.abi);
    EXPECT_NE(choice.warning.find("linked with MPI statically"), std::string::npos);
}

}  // namespace eco::launch
