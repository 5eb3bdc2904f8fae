// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace eco {

// Of a group and all that hold it; "max" is no number, and no limit.
static Bytes least_limit(const std::filesystem::path& groups, std::filesystem::path group,
                         const char* file, Bytes least) {
    while (true) {
        Bytes limit = 0;
        if (std::ifstream(groups / group.relative_path() / file) >> limit && limit > 0)
            least = std::min(least, limit);
        if (group.relative_path().empty()) return least;
        group = group.parent_path();
    }
}

Bytes host_memory(const std::string& self, const std::string& groups) {
    Bytes least = Bytes{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    std::ifstream lines(self);
    // "0::/path", or of older systems "9:cpu,memory:/path".
    for (std::string number, kinds, path; std::getline(lines, number, ':') &&
                                          std::getline(lines, kinds, ':') &&
                                          std::getline(lines, path);) {
        if (kinds.empty())
            least = least_limit(groups, path, "memory.max", least);
        else if (("," + kinds + ",").find(",memory,") != std::string::npos)
            least = least_limit(groups + "/memory", path, "memory.limit_in_bytes", least);
    }
    return least;
}

}  // namespace eco
