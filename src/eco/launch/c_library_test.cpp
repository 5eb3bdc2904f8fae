// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/c_library.h"

#include "eco/launch/build_programs_test.h"
#include "eco/launch/elf.h"
#include "eco/launch/exec.h"
#include "eco/launch/linkage.h"

namespace eco::launch {

class CLibraryTest : public Workshop {
protected:
    // An object that was linked with a later C library than there is.
    std::string object_of_later() {
        const std::string versions =
            write("versions", "GLIBC_2.9 { global: older; };\nGLIBC_2.99 { global: later; };\n");
        const std::string library = compile(
            "later/libc.so.6", "void older(void) {}\nvoid later(void) {}\n",
            "-shared -fPIC -nostdlib -Wl,-soname,libc.so.6,--version-script='" + versions + "'");
        return compile("object.so",
                       "void older(void); void later(void);\n"
                       "void call(void) { older(); later(); }\n",
                       "-shared -fPIC -nostdlib '" + library + "'");
    }
    std::string object() {
        return compile("fits.so", "#include <stdlib.h>\nvoid* call(void) { return malloc(1); }\n",
                       "-shared -fPIC");
    }
};

TEST_F(CLibraryTest, VersionsOfFiles) {
    const auto elf = ElfFile::open(object_of_later());
    ASSERT_TRUE(elf);
    const auto needed = elf->needed_versions();
    ASSERT_EQ(needed.size(), 1U);
    EXPECT_EQ(needed[0].library, "libc.so.6");
    EXPECT_EQ(needed[0].versions.size(), 2U);
    const auto defined = ElfFile::open(folder + "/later/libc.so.6")->defined_versions();
    ASSERT_EQ(defined.size(), 3U);  // the first is the library's own name
    EXPECT_EQ(defined[1], "GLIBC_2.9");
    EXPECT_EQ(defined[2], "GLIBC_2.99");
}

TEST_F(CLibraryTest, OlderThanTheObjectNeeds) {
    const std::string program = compile("plain", plain_source), later = object_of_later();
    EXPECT_EQ(why_c_library_does_not_suit(object(), program, ""), "");
    EXPECT_EQ(why_c_library_does_not_suit(later, program, ""),
              "the C library here is too old for this build of ECO (it has no GLIBC_2.99); build "
              "ECO on a system with this one, or an older one");
    // The one that the program will have counts.
    EXPECT_EQ(why_c_library_does_not_suit(later, program, folder + "/later"), "");
    const std::string own =
        compile("own", plain_source, "-Wl,-rpath,'" + folder + "/later',--enable-new-dtags");
    EXPECT_EQ(why_c_library_does_not_suit(later, own, ""), "");
}

TEST_F(CLibraryTest, BesideTheLoader) {
    const std::string later = object_of_later();
    std::filesystem::rename(folder + "/later/libc.so.6", folder + "/later/libown.so.1");
    write("later/loader", "");
    std::filesystem::create_symlink(folder + "/later/loader", folder + "/loader");
    const std::string program =
        compile("own", plain_source, "-Wl,--dynamic-linker='" + folder + "/loader'");
    EXPECT_EQ(find_library("libown.so.1", program, ""), folder + "/later/libown.so.1");
    EXPECT_EQ(find_library("libother.so.1", program, ""), "");
    // Before the system's own of the same name.
    std::filesystem::copy(folder + "/later/libown.so.1", folder + "/later/libc.so.6");
    EXPECT_EQ(find_library("libc.so.6", program, ""), folder + "/later/libc.so.6");
}

TEST_F(CLibraryTest, Musl) {
    const std::string program =
        compile("musl", plain_source, "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1");
    EXPECT_EQ(ElfFile::open(program)->interpreter(), "/lib/ld-musl-x86_64.so.1");
    EXPECT_EQ(why_c_library_does_not_suit(object(), program, ""),
              "its C library is musl, and ECO needs the GNU C library");
}

TEST_F(CLibraryTest, AFileThatIsNone) {
    EXPECT_EQ(why_c_library_does_not_suit(folder + "/nowhere", folder + "/nowhere", ""), "");
    EXPECT_EQ(why_c_library_does_not_suit(object(), write("script", "#!/bin/sh\n"), ""), "");
}

TEST_F(CLibraryTest, TheProgramRunsWithoutEco) {
    const std::string program = compile("plain", plain_source);
    const Preload with = if_it_loads({Abi::openmpi, "why", ""}, object(), program, "./a", {});
    EXPECT_EQ(with.abi, Abi::openmpi);
    EXPECT_EQ(with.warning, "");
    const Preload without =
        if_it_loads({Abi::openmpi, "why", ""}, object_of_later(), program, "./a", {});
    EXPECT_FALSE(without.abi);
    EXPECT_TRUE(without.warning.starts_with("./a runs without ECO: the C library here"));
}

}  // namespace eco::launch
