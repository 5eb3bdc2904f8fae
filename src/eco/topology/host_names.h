// SPDX-License-Identifier: BSD-3-Clause
// Finds the host of a profile that a name means: the same name, the same without its domain if
// only one host has that, or another name in the same line of /etc/hosts. Ranks send only hashes
// of their names. Called by job/share.h and profile_search.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace eco {

// By base/fnv1a.h.
std::uint64_t name_hash(std::string_view text);

// Whether podman or Docker made the name up: a container's number.
bool is_made_up_name(std::string_view name);

class HostNames {
public:
    // own: what this host is called now; the other hosts are in the same domain.
    HostNames(const std::vector<std::string>& hosts, const std::string& own,
              const std::string& hosts_file = "/etc/hosts");
    // Index of the host; -1: none, or not one alone.
    int find(std::uint64_t hash) const;
    int find(std::string_view name) const { return find(name_hash(name)); }

private:
    void add(const std::string& name, int host);

    static constexpr int several = -2;
    std::map<std::uint64_t, int> exact_, other_;
};

}  // namespace eco
