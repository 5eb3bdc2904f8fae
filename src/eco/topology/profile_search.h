// SPDX-License-Identifier: BSD-3-Clause
// Finds the profile of a job's hosts in the folders for profiles: the one that holds the most of
// them; of several the one in the first folder, and there the newest. Rejects files that another
// user could have written. Called by job/share.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eco {

struct FoundProfile {
    std::string path;                  // empty: there is none
    std::vector<std::string> refused;  // one sentence for each file or folder that was passed over
};
// own: this host's name, which the profile must hold. hosts: by name_hash (host_names.h), of all
// hosts of the job; may have some twice. Reads files until one holds all hosts.
FoundProfile find_profile(const std::vector<std::string>& folders, const std::string& own,
                          const std::vector<std::uint64_t>& hosts);

// Empty if nobody but this user and root can change the file; else what is wrong with it.
std::string why_not_trusted(const std::string& path);

}  // namespace eco
