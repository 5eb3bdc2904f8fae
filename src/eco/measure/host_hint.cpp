// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/host_hint.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "eco/job/session.h"
#include "eco/mpi/gather_all.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

struct Written {
    char name[256], topology[256];
    in6_addr address;
    int megabits;
};

void copy(char* to, std::size_t most, const std::string& text) {
    std::strncpy(to, text.c_str(), most - 1);
}

}  // namespace

std::vector<Hint> all_hints() {
    Written own{};
    copy(own.name, sizeof own.name, processor_name());
    if (const char* topology = std::getenv("SLURM_TOPOLOGY_ADDR"))
        copy(own.topology, sizeof own.topology, topology);
    if (const auto all = ip_addresses(); !all.empty()) {
        own.address = all.front().address;
        own.megabits = std::max(0, megabits_of(all.front().interface));
    }
    std::vector<Hint> hints;
    for (const Written& each : gather_each(native().comm_world, own)) {
        Hint& hint = hints.emplace_back();
        hint.name = each.name;
        hint.topology = each.topology;
        hint.megabits = each.megabits;
        if (!IN6_IS_ADDR_UNSPECIFIED(&each.address))
            hint.address.assign(reinterpret_cast<const char*>(each.address.s6_addr),
                                sizeof each.address.s6_addr);
    }
    return hints;
}

}  // namespace eco
