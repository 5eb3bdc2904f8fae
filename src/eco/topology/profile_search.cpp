// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/profile_search.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <set>
#include <utility>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/topology/host_names.h"
#include "eco/topology/profile.h"

namespace eco {

namespace {

std::string why_not(const std::string& path, const struct stat& status) {
    if (status.st_uid != 0 && status.st_uid != geteuid())
        return path + " belongs to user " + std::to_string(status.st_uid);
    // A folder like /tmp: nobody can replace another's file.
    if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX)) return "";
    if (status.st_mode & S_IWOTH) return path + " can be written by everybody";
    // With umask 002 a user's own files are open to the group, which is the user's own.
    const bool own = status.st_uid == geteuid() && status.st_gid == getegid();
    if ((status.st_mode & S_IWGRP) && !own)
        return path + " can be written by group " + std::to_string(status.st_gid);
    return "";
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The newest first.
std::vector<std::string> profiles_in(const std::string& folder) {
    std::vector<std::pair<timespec, std::string>> found;
    DIR* entries = opendir(folder.c_str());
    if (!entries) return {};
    while (const dirent* entry = readdir(entries)) {
        const std::string path = folder + "/" + entry->d_name;
        struct stat status{};
        if (path.ends_with(".json") && stat(path.c_str(), &status) == 0)
            found.emplace_back(status.st_mtim, path);
    }
    closedir(entries);
    std::sort(found.begin(), found.end(), [](const auto& one, const auto& other) {
        const auto &a = one.first, &b = other.first;
        return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
    });
    std::vector<std::string> paths;
    for (auto& [time, path] : found) paths.push_back(std::move(path));
    return paths;
}

// How many of the job's hosts a profile holds; 0 where it cannot be read, or lacks this host.
std::size_t hosts_in(const std::string& path, const std::string& own,
                     const std::set<std::uint64_t>& hosts) {
    try {
        const HostNames names(read_profile(path).hosts, own);
        if (names.find(own) < 0) return 0;
        return at(std::count_if(hosts.begin(), hosts.end(),
                                [&](std::uint64_t host) { return names.find(host) >= 0; }));
    } catch (const Error&) {
        return 0;  // another one may do
    }
}

}  // namespace

std::string why_not_trusted(const std::string& path) {
    char* resolved = realpath(path.c_str(), nullptr);
    if (!resolved) return path + " cannot be found";
    const std::string real = resolved;
    std::free(resolved);
    for (const std::string& each : {real, folder_of(real), folder_of(path)}) {
        struct stat status{};
        if (stat(each.empty() ? "/" : each.c_str(), &status) != 0)
            return each + " cannot be examined";
        if (std::string why = why_not(each, status); !why.empty()) return why;
    }
    return "";
}

FoundProfile find_profile(const std::vector<std::string>& folders, const std::string& own,
                          const std::vector<std::uint64_t>& hosts) {
    FoundProfile found;
    std::set<std::uint64_t> wanted(hosts.begin(), hosts.end());
    wanted.insert(name_hash(own));
    std::size_t most = 0;
    for (const std::string& folder : folders)
        for (const std::string& path : profiles_in(folder)) {
            if (const std::string why = why_not_trusted(path); !why.empty()) {
                found.refused.push_back("the profile " + path + " is not used: " + why +
                                        "; it must belong to root or you, and nobody else may be "
                                        "able to write it or its folder");
                continue;
            }
            const std::size_t holds = hosts_in(path, own, wanted);
            if (holds <= most) continue;
            most = holds;
            found.path = path;
            if (most == wanted.size()) return found;
        }
    return found;
}

}  // namespace eco
