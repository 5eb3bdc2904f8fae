// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/host_hint.h"

#include <arpa/inet.h>

#include <cstdlib>
#include <cstring>

#include "eco/job/session.h"
#include "eco/mpi/gather_all.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

// Of the first NIC that is up and no loopback; 0 if there is none.
std::uint32_t first_address() {
    const auto all = ipv4_addresses();
    return all.empty() ? 0 : ntohl(all.front().address);
}

struct Written {
    char name[256], topology[256];
    std::uint32_t address;
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
    own.address = first_address();
    std::vector<Hint> hints;
    for (const Written& each : gather_each(native().comm_world, own))
        hints.push_back({each.name, each.topology, each.address});
    return hints;
}

}  // namespace eco
