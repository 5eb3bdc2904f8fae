// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/elf.h"

#include <algorithm>
#include <iterator>

#include "eco/launch/build_programs_test.h"

namespace eco::launch {

using ElfTest = Workshop;

TEST_F(ElfTest, NeedsAndSymbolsOfAProgram) {
    const auto elf = ElfFile::open(compile("plain", plain_source));
    ASSERT_TRUE(elf);
    const auto libraries = elf->needs().libraries;
    EXPECT_NE(std::find(libraries.begin(), libraries.end(), "libc.so.6"), libraries.end());
    EXPECT_TRUE(elf->defines("main"));
    EXPECT_FALSE(elf->defines("MPI_Init"));
}

TEST_F(ElfTest, AnUndefinedSymbolIsNoDefinition) {
    const auto elf = ElfFile::open(
        compile("calls", "#include <stdio.h>\nint main(void) { return puts(\"\"); }\n"));
    ASSERT_TRUE(elf);
    EXPECT_FALSE(elf->defines("puts"));
}

TEST_F(ElfTest, BothKindsOfSearchPath) {
    const auto old_kind =
        ElfFile::open(compile("old", plain_source, "-Wl,--disable-new-dtags,-rpath,/a:/b"));
    const auto new_kind =
        ElfFile::open(compile("new", plain_source, "-Wl,--enable-new-dtags,-rpath,'$ORIGIN/c'"));
    EXPECT_EQ(old_kind->needs().rpath, "/a:/b");
    EXPECT_EQ(old_kind->needs().runpath, "");
    EXPECT_EQ(new_kind->needs().rpath, "");
    EXPECT_EQ(new_kind->needs().runpath, "$ORIGIN/c");
}

TEST_F(ElfTest, NoSuchFileNoSuchKind) {
    EXPECT_FALSE(ElfFile::open(folder + "/nowhere"));
    EXPECT_FALSE(ElfFile::open(folder));
    EXPECT_FALSE(ElfFile::open(write("empty", "")));
    EXPECT_FALSE(ElfFile::open(write("script", "#!/bin/sh\n" + std::string(200, '#'))));
}

// Wherever a file is cut off or scribbled over, reading it ends, and inside its bounds.
TEST_F(ElfTest, DamagedFiles) {
    const std::string path = compile("plain", plain_source);
    std::ifstream file(path, std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(file), {});
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 100)
        if (const auto elf = ElfFile::open(write("cut", whole.substr(0, size)))) {
            elf->needs();
            elf->needed_versions();
            elf->defined_versions();
            elf->interpreter();
            elf->defines("main");
        }
    for (std::size_t place = 16; place < std::min<std::size_t>(whole.size(), 1200); place += 7) {
        std::string damaged = whole;
        damaged.replace(place, 4, "\xff\xff\xff\x7f");
        if (const auto elf = ElfFile::open(write("damaged", damaged))) {
            elf->needs();
            elf->needed_versions();
            elf->defined_versions();
            elf->interpreter();
            elf->defines("main");
        }
    }
}

}  // namespace eco::launch
