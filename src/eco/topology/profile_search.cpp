// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/profile_search.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "eco/base/error.h"
#include "eco/topology/host_names.h"
#include "eco/topology/profile.h"

namespace eco {

namespace {

bool later(const timespec& a, const timespec& b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

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

FoundProfile find_in(const std::string& folder, const std::string& host) {
    FoundProfile found;
    timespec newest{};
    DIR* entries = opendir(folder.c_str());
    if (!entries) return found;
    while (const dirent* entry = readdir(entries)) {
        const std::string path = folder + "/" + entry->d_name;
        struct stat status{};
        if (!path.ends_with(".json") || stat(path.c_str(), &status) != 0) continue;
        const bool counts = found.path.empty() || later(status.st_mtim, newest);
        if (!counts) continue;
        if (const std::string why = why_not_trusted(path); !why.empty()) {
            found.refused.push_back("the profile " + path + " is not used: " + why +
                                    "; it must belong to root or you, and nobody else may be "
                                    "able to write it or its folder");
            continue;
        }
        try {
            if (HostNames(read_profile(path).hosts, host).find(host) < 0) continue;
        } catch (const Error&) {
            continue;  // another one may do
        }
        found.path = path;
        newest = status.st_mtim;
    }
    closedir(entries);
    return found;
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

FoundProfile find_profile(const std::vector<std::string>& folders, const std::string& host) {
    FoundProfile all;
    for (const std::string& folder : folders) {
        FoundProfile found = find_in(folder, host);
        all.refused.insert(all.refused.end(), found.refused.begin(), found.refused.end());
        if (found.path.empty()) continue;
        all.path = found.path;
        break;
    }
    return all;
}

}  // namespace eco
