// SPDX-License-Identifier: BSD-3-Clause
// Looks a library up in the loader's cache (/etc/ld.so.cache), as the loader does after its search
// paths. Nothing if there is no such cache, or in another format. Called by linkage.h.
#pragma once

#include <string>
#include <vector>

namespace eco::launch {

class LoaderCache {
public:
    explicit LoaderCache(const std::string& path = "/etc/ld.so.cache");
    // Every file the cache names for the library, best first; of whatever machine.
    std::vector<std::string> find(const std::string& soname) const;

private:
    std::string content_;
};

}  // namespace eco::launch
