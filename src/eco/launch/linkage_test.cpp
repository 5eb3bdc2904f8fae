// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/linkage.h"

#include "eco/launch/build_programs_test.h"
#include "eco/launch/ld_cache.h"

namespace eco::launch {

using LinkageTest = Workshop;

TEST_F(LinkageTest, ProgramsOfTheRealMpis) {
    const std::string openmpi = compile("openmpi", mpi_source, "", mpicc("openmpi"));
    const std::string mpich = compile("mpich", mpi_source, "", mpicc("mpich"));
    const std::string abi = compile("abi", mpi_source, "", mpicc("mpich") + "_abi");
    EXPECT_EQ(read_linkage(openmpi, "").abi, Abi::openmpi);
    EXPECT_EQ(read_linkage(mpich, "").abi, Abi::mpich);
    EXPECT_EQ(read_linkage(abi, "").abi, Abi::standard);
    EXPECT_EQ(read_linkage(openmpi, "").library, "libmpi.so.40");
}

TEST_F(LinkageTest, AProgramWithoutMpi) {
    const Linkage linkage = read_linkage(compile("plain", plain_source), "");
    EXPECT_TRUE(linkage.elf);
    EXPECT_FALSE(linkage.abi);
    EXPECT_FALSE(linkage.has_mpi_inside);
    EXPECT_FALSE(read_linkage(write("text", "no program"), "").elf);
    EXPECT_FALSE(read_linkage(folder + "/nowhere", "").elf);
}

// An application's own library that needs MPI, found by each way the loader has.
class ThroughALibrary : public Workshop {
protected:
    ThroughALibrary() {
        compile("libmpi.so.40", "int fake;", "-shared -fPIC -Wl,-soname,libmpi.so.40");
        std::filesystem::create_directory(folder + "/deep");
        compile("deep/libsolver.so", "int solve(void) { return 0; }",
                "-shared -fPIC -Wl,-soname,libsolver.so -Wl,--no-as-needed '" + folder +
                    "/libmpi.so.40'");
    }
    std::string program(const std::string& options) {
        return compile("program", "int solve(void); int main(void) { return solve(); }",
                       "'" + folder + "/deep/libsolver.so' -Wl,--allow-shlib-undefined " + options);
    }
};

TEST_F(ThroughALibrary, ByRunpathFromTheProgramsFolder) {
    EXPECT_EQ(read_linkage(program("-Wl,-rpath,'$ORIGIN/deep'"), "").abi, Abi::openmpi);
}

TEST_F(ThroughALibrary, ByRpath) {
    EXPECT_EQ(read_linkage(program("-Wl,--disable-new-dtags,-rpath,'${ORIGIN}/deep'"), "").abi,
              Abi::openmpi);
}

TEST_F(ThroughALibrary, BySearchPath) {
    const std::string path = program("");
    EXPECT_FALSE(read_linkage(path, "").abi);
    EXPECT_EQ(read_linkage(path, "/nowhere:" + folder + "/deep").abi, Abi::openmpi);
}

TEST_F(LinkageTest, MpiLinkedIntoTheProgram) {
    const std::string path = compile("inside",
                                     "int MPI_Init(int* c, char*** v) { return !c + !v; }\n"
                                     "int main(int c, char** v) { return MPI_Init(&c, &v); }\n");
    EXPECT_TRUE(read_linkage(path, "").has_mpi_inside);
}

TEST_F(LinkageTest, LibrariesThatNeedEachOther) {
    compile("libone.so", "int one;", "-shared -fPIC -Wl,-soname,libone.so");
    compile("libtwo.so", "int two;",
            "-shared -fPIC -Wl,-soname,libtwo.so -Wl,--no-as-needed '" + folder + "/libone.so'");
    compile("libone.so", "int one;",
            "-shared -fPIC -Wl,-soname,libone.so -Wl,--no-as-needed '" + folder + "/libtwo.so'");
    const std::string path =
        compile("program", plain_source, "-Wl,--no-as-needed '" + folder + "/libone.so'");
    EXPECT_FALSE(read_linkage(path, folder).abi);
}

TEST_F(LinkageTest, TheRuntimeOfASanitizer) {
    for (const char* kind : {"address", "thread", "leak"}) {
        const std::string app = compile(kind, plain_source, std::string("-fsanitize=") + kind);
        const std::string runtime = sanitizer_runtime(app, "");
        EXPECT_EQ(runtime[0], '/') << runtime;
        EXPECT_NE(runtime.find("san.so."), std::string::npos) << runtime;
    }
    EXPECT_EQ(sanitizer_runtime(compile("plain", plain_source), ""), "");
    EXPECT_EQ(sanitizer_runtime(folder + "/nowhere", ""), "");
}

TEST_F(LinkageTest, TheLoadersCache) {
    EXPECT_FALSE(LoaderCache().find("libc.so.6").empty());
    EXPECT_TRUE(LoaderCache().find("libnowhere.so.1").empty());
    EXPECT_TRUE(LoaderCache(folder + "/nowhere").find("libc.so.6").empty());
    EXPECT_TRUE(LoaderCache(write("cut", "glibc-ld.so.cache1.1")).find("libc.so.6").empty());
}

}  // namespace eco::launch
