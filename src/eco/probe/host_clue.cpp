#include "eco/probe/host_clue.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstdlib>
#include <cstring>

#include "eco/interpose/mpi_transport.h"
#include "eco/interpose/session.h"

namespace eco {

namespace {

// Of the first card that is up and no loopback; 0 where there is none.
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

std::vector<Clue> all_clues() {
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
    std::vector<Clue> clues;
    for (const Written& each : all) clues.push_back({each.name, each.topology, each.address});
    return clues;
}

}  // namespace eco
