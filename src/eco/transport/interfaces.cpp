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
#include <cstdint>
#include <cstring>
#include <set>

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

// Of either family.
in6_addr address_of(const sockaddr* from) {
    in6_addr found = in6addr_any;
    if (from->sa_family == AF_INET) {
        sockaddr_in four{};
        std::memcpy(&four, from, sizeof four);
        found.s6_addr[10] = found.s6_addr[11] = 0xff;
        std::memcpy(found.s6_addr + 12, &four.sin_addr, sizeof four.sin_addr);
    } else {
        sockaddr_in6 six{};
        std::memcpy(&six, from, sizeof six);
        found = six.sin6_addr;
    }
    return found;
}

int prefix_of(const sockaddr* mask) {
    if (!mask) return 0;
    const in6_addr bits = address_of(mask);
    int count = 0;
    for (const std::uint8_t byte : bits.s6_addr) count += std::popcount(byte);
    return mask->sa_family == AF_INET ? count - 16 : count;  // without the 0xffff before IPv4
}

}  // namespace

std::vector<IpAddress> ip_addresses() {
    std::vector<IpAddress> found;
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) return found;
    std::set<std::string> with_ipv4;
    for (const int family : {AF_INET, AF_INET6})
        for (const ifaddrs* each = all; each; each = each->ifa_next) {
            const bool counts = (each->ifa_flags & IFF_UP) && !(each->ifa_flags & IFF_LOOPBACK);
            if (!counts || !each->ifa_addr || each->ifa_addr->sa_family != family) continue;
            const in6_addr address = address_of(each->ifa_addr);
            if (family == AF_INET)
                with_ipv4.insert(each->ifa_name);
            else if (IN6_IS_ADDR_LINKLOCAL(&address) || with_ipv4.count(each->ifa_name) > 0)
                continue;
            found.push_back({each->ifa_name, address, prefix_of(each->ifa_netmask)});
        }
    freeifaddrs(all);
    return found;
}

bool is_ipv4(const in6_addr& address) { return IN6_IS_ADDR_V4MAPPED(&address); }

in6_addr network_of(const in6_addr& address, int prefix) {
    in6_addr network = address;
    for (int bit = prefix + (is_ipv4(address) ? 96 : 0); bit < 128; ++bit)
        network.s6_addr[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> (bit % 8)));
    return network;
}

std::string text_of(const in6_addr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (is_ipv4(address))
        inet_ntop(AF_INET, address.s6_addr + 12, text.data(), text.size());
    else
        inet_ntop(AF_INET6, &address, text.data(), text.size());
    return text.data();
}

std::string network_text(const in6_addr& address, int prefix) {
    return text_of(network_of(address, prefix)) + "/" + std::to_string(prefix);
}

socklen_t socket_address(const in6_addr& address, in_port_t port, sockaddr_storage& found) {
    found = {};
    if (is_ipv4(address)) {
        sockaddr_in four{};
        four.sin_family = AF_INET;
        four.sin_port = port;
        std::memcpy(&four.sin_addr, address.s6_addr + 12, sizeof four.sin_addr);
        std::memcpy(&found, &four, sizeof four);
        return sizeof four;
    }
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = port;
    six.sin6_addr = address;
    std::memcpy(&found, &six, sizeof six);
    return sizeof six;
}

std::string subnet_of(const sockaddr_in& address, bool& is_loopback) {
    ifaddrs* all = nullptr;
    std::string found;
    if (getifaddrs(&all) != 0) return found;
    for (const ifaddrs* each = all; each; each = each->ifa_next) {
        if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET || !each->ifa_netmask) continue;
        sockaddr_in own{};
        std::memcpy(&own, each->ifa_addr, sizeof own);
        if (own.sin_addr.s_addr != address.sin_addr.s_addr) continue;
        is_loopback = (each->ifa_flags & IFF_LOOPBACK) != 0;
        found = network_text(address_of(each->ifa_addr), prefix_of(each->ifa_netmask));
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
