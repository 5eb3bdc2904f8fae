// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "eco/base/text.h"

namespace eco {

// Of a group and all that hold it; "max" is no number, and no limit.
static Bytes least_limit(const std::string& groups, std::string group, const std::string& file,
                         Bytes least) {
    while (group.ends_with('/')) group.pop_back();
    while (true) {
        if (const auto text = read_text(groups + group + "/" + file))
            if (const Bytes limit = std::strtoll(text->c_str(), nullptr, 10); limit > 0)
                least = std::min(least, limit);
        if (group.empty()) return least;
        group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
}

Bytes host_memory(const std::string& self, const std::string& groups) {
    Bytes least = Bytes{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    // "0::/path", or of older systems "9:cpu,memory:/path".
    for (const std::string& line : split(read_text(self).value_or(""), '\n')) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string kinds = line.substr(first + 1, second - first - 1),
                          path = line.substr(second + 1);
        if (kinds.empty())
            least = least_limit(groups, path, "memory.max", least);
        else if (("," + kinds + ",").find(",memory,") != std::string::npos)
            least = least_limit(groups + "/memory", path, "memory.limit_in_bytes", least);
    }
    return least;
}

}  // namespace eco
