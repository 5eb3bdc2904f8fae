// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/c_library.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "eco/launch/elf.h"
#include "eco/launch/linkage.h"

namespace eco::launch {

namespace {

constexpr std::string_view versions_begin = "GLIBC_2.";

// 36 of GLIBC_2.36; -1 of other names.
int minor_version(const std::string& name) {
    if (!name.starts_with(versions_begin)) return -1;
    int minor = 0;
    for (const char digit : name.substr(versions_begin.size())) {
        if (digit < '0' || digit > '9') break;
        minor = std::min(minor * 10 + (digit - '0'), 10000);
    }
    return minor;
}

bool holds(const std::vector<std::string>& versions, const std::string& version) {
    return std::find(versions.begin(), versions.end(), version) != versions.end();
}

}  // namespace

std::string why_c_library_does_not_suit(const std::string& object, const std::string& program,
                                        const std::string& search_path) {
    const auto preloaded = ElfFile::open(object), main = ElfFile::open(program);
    if (!preloaded || !main) return "";
    const std::string loader = main->interpreter();
    if (loader.find("/ld-musl") != std::string::npos)
        return "its C library is musl, and ECO needs the GNU C library";
    std::string missing;
    for (const NeededVersions& needed : preloaded->needed_versions()) {
        const auto library = ElfFile::open(find_library(needed.library, program, search_path));
        const auto defined = library ? library->defined_versions() : std::vector<std::string>();
        if (defined.empty()) continue;  // the loader may know better
        for (const std::string& version : needed.versions)
            if (!holds(defined, version) && minor_version(version) >= minor_version(missing))
                missing = version;
    }
    if (missing.empty()) return "";
    return "the C library here is too old for this build of ECO (it has no " + missing +
           "); build ECO on a system with this one, or an older one";
}

}  // namespace eco::launch
