// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/host_hint.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstdlib>
#include <cstring>

#include "eco/job/session.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

namespace {

// Of the first NIC that is up and no loopback; 0 if there is none.
std::uint32_t first_address() {
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) return 0;
    std::uint32_t found = 0;
    for (const ifaddrs* each = all; each && found == 0; each = each->ifa_next) {
        const bool counts = (each->ifa_flags & IFF_UP) && !(each->ifa_flags & IFF_LOOPBACK);
        if (!counts || !each->ifa_addr || each->ifa_addr->sa_family != AF_INET) continue;
        sockaddr_in address;
        std::memcpy(&address, each->ifa_addr, sizeof address);
        found = ntohl(address.sin_addr.s_addr);
    }
    freeifaddrs(all);
    return found;
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
    const Native& mpi = native();
    int ranks = 0;
    check_mpi(mpi.Comm_size(mpi.comm_world, &ranks));
    Written own{};
    copy(own.name, sizeof own.name, processor_name());
    if (const char* topology = std::getenv("SLURM_TOPOLOGY_ADDR"))
        copy(own.topology, sizeof own.topology, topology);
    own.address = first_address();
    std::vector<Written> all(static_cast<std::size_t>(ranks));
    const int bytes = sizeof own;
    check_mpi(mpi.Allgather(&own, bytes, mpi.byte, all.data(), bytes, mpi.byte, mpi.comm_world));
    std::vector<Hint> hints;
    for (const Written& each : all) hints.push_back({each.name, each.topology, each.address});
    return hints;
}

}  // namespace eco
