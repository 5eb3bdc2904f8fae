// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/same_build.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "eco/base/error.h"
#include "eco/job/build_id.h"
#include "eco/job/share.h"
#include "eco/mpi/gather_all.h"

namespace eco {

namespace {

// Builds of other versions must understand each other so far, so what ranks exchange here never
// changes its form: the build as a number of 64 bits; then, if some differ, the host's name.
using HostName = std::array<char, 256>;

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 6;
    const std::size_t shown = names.size() > most ? most - 1 : names.size();
    std::string text;
    for (std::size_t n = 0; n < shown; ++n) text += (n > 0 ? ", " : "") + names[n];
    if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
    return text;
}

}  // namespace

void check_same_build() {
    const std::vector<std::uint64_t> builds = gather_each(native().comm_world, build_id());
    const auto is_first = [&](std::uint64_t build) { return build == builds.front(); };
    if (std::all_of(builds.begin(), builds.end(), is_first)) return;
    HostName own{};
    processor_name().copy(own.data(), own.size() - 1);
    const std::vector<HostName> names = gather_each(native().comm_world, own);
    std::vector<std::string> others;
    for (std::size_t rank = 0; rank < builds.size(); ++rank) {
        const std::string name = names[rank].data();
        if (!is_first(builds[rank]) &&
            std::find(others.begin(), others.end(), name) == others.end())
            others.push_back(name);
    }
    throw Error(Code::launch, listed(others) + (others.size() > 1 ? " have" : " has") +
                                  " another build of ECO than rank 0 on " + names.front().data() +
                                  "; install the same ECO on all hosts, or once in a folder that "
                                  "all of them see");
}

}  // namespace eco
