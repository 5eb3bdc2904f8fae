// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>

namespace eco {

namespace {

// False where the kernel knows no such interface, or nothing of the kind.
bool ask(const std::string& interface, unsigned long what, ifreq& request) {
    const int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (handle < 0 || interface.size() >= sizeof request.ifr_name) {
        if (handle >= 0) close(handle);
        return false;
    }
    std::memcpy(request.ifr_name, interface.c_str(), interface.size() + 1);
    const bool answered = ioctl(handle, what, &request) == 0;
    close(handle);
    return answered;
}

}  // namespace

std::vector<Ipv4Address> ipv4_addresses() {
    std::vector<Ipv4Address> found;
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) return found;
    for (const ifaddrs* each = all; each; each = each->ifa_next) {
        const bool counts = (each->ifa_flags & IFF_UP) && !(each->ifa_flags & IFF_LOOPBACK);
        if (!counts || !each->ifa_addr || each->ifa_addr->sa_family != AF_INET) continue;
        sockaddr_in address{}, mask{};
        std::memcpy(&address, each->ifa_addr, sizeof address);
        if (each->ifa_netmask) std::memcpy(&mask, each->ifa_netmask, sizeof mask);
        found.push_back({each->ifa_name, address.sin_addr.s_addr, mask.sin_addr.s_addr});
    }
    freeifaddrs(all);
    return found;
}

std::string text_of(in_addr_t address) {
    std::array<char, INET_ADDRSTRLEN> text{};
    const in_addr one{address};
    inet_ntop(AF_INET, &one, text.data(), text.size());
    return text.data();
}

std::string subnet_of(const sockaddr_in& address, bool& is_loopback) {
    ifaddrs* all = nullptr;
    std::string found;
    if (getifaddrs(&all) != 0) return found;
    for (const ifaddrs* each = all; each; each = each->ifa_next) {
        if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET || !each->ifa_netmask) continue;
        sockaddr_in own{}, mask{};
        std::memcpy(&own, each->ifa_addr, sizeof own);
        std::memcpy(&mask, each->ifa_netmask, sizeof mask);
        if (own.sin_addr.s_addr != address.sin_addr.s_addr) continue;
        is_loopback = (each->ifa_flags & IFF_LOOPBACK) != 0;
        found = text_of(own.sin_addr.s_addr & mask.sin_addr.s_addr) + "/" +
                std::to_string(std::popcount(mask.sin_addr.s_addr));
    }
    freeifaddrs(all);
    return found;
}

bool is_bridge(const std::string& interface) {
    ethtool_drvinfo driver{};
    driver.cmd = ETHTOOL_GDRVINFO;
    ifreq request{};
    request.ifr_data = reinterpret_cast<char*>(&driver);
    return ask(interface, SIOCETHTOOL, request) && std::strcmp(driver.driver, "bridge") == 0;
}

bool is_down(const std::string& interface) {
    ifreq request{};
    if (!ask(interface, SIOCGIFFLAGS, request)) return false;
    return (request.ifr_flags & IFF_UP) == 0 || (request.ifr_flags & IFF_RUNNING) == 0;
}

int mtu_of(const std::string& interface) {
    ifreq request{};
    return ask(interface, SIOCGIFMTU, request) ? request.ifr_mtu : 0;
}

int megabits_of(const std::string& interface) {
    ethtool_cmd settings{};
    settings.cmd = ETHTOOL_GSET;
    ifreq request{};
    request.ifr_data = reinterpret_cast<char*>(&settings);
    if (!ask(interface, SIOCETHTOOL, request)) return 0;
    const auto speed = static_cast<int>(ethtool_cmd_speed(&settings));
    return speed > 0 ? speed : 0;  // SPEED_UNKNOWN is -1
}

}  // namespace eco
