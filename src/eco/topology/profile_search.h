// SPDX-License-Identifier: BSD-3-Clause
// Finds the profile of a host in the folders for profiles: the first folder that has one, there the
// newest. Rejects files that another user could have written. Called by job/share.h.
#pragma once

#include <string>
#include <vector>

namespace eco {

struct FoundProfile {
    std::string path;                  // empty: there is none
    std::vector<std::string> refused;  // one sentence for each file or folder that was passed over
};
FoundProfile find_profile(const std::vector<std::string>& folders, const std::string& host);

// Empty if nobody but this user and root can change the file; else what is wrong with it.
std::string why_not_trusted(const std::string& path);

}  // namespace eco
