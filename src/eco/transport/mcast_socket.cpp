// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_socket.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "eco/base/error.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

constexpr std::size_t most_at_once = 32;
constexpr std::size_t longest_datagram = 9216;
// Asked for; the kernel gives what net.core.rmem_max allows. Twice this is what it counts.
constexpr int receive_buffer = 8 << 20;
// What IPv4 demands of a link; less is no MTU.
constexpr Bytes least_mtu = 576;
// Routers on the way, at most.
constexpr int hops = 16;

[[noreturn]] void fail(const char* what) {
    throw Error(Code::environment, std::string("multicast: ") + what + ": " + std::strerror(errno));
}

Bytes mtu_of(const std::string& name) {
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return 0;
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    const bool known = ioctl(any, SIOCGIFMTU, &request) == 0;
    close(any);
    return known ? request.ifr_mtu : 0;
}

}  // namespace

std::vector<McastInterface> mcast_interfaces() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return {};
    std::vector<McastInterface> found;
    for (const ifaddrs* each = list; each; each = each->ifa_next) {
        const unsigned wanted = IFF_UP | IFF_RUNNING | IFF_MULTICAST;
        if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET ||
            (each->ifa_flags & wanted) != wanted || (each->ifa_flags & IFF_LOOPBACK))
            continue;
        const std::string name = each->ifa_name;
        // A label, eth0:1, is another name of a NIC.
        const auto index = static_cast<int>(if_nametoindex(name.c_str()));
        const auto same = [&](const McastInterface& other) { return other.index == index; };
        const Bytes mtu = mtu_of(name);
        if (is_bridge(name) || mtu < least_mtu || std::any_of(found.begin(), found.end(), same))
            continue;
        found.push_back({name, index, mtu});
    }
    freeifaddrs(list);
    std::sort(found.begin(), found.end(),
              [](const McastInterface& a, const McastInterface& b) { return a.name < b.name; });
    return found;
}

McastGroup mcast_group(const McastKey& key) {
    // 239.192.0.0/14, but for the first and last 256, which others like to take.
    const auto local = static_cast<std::uint32_t>(key[0] % ((1U << 18) - 512) + 256);
    return {0xefc00000U | local, static_cast<std::uint16_t>(49152 + key[1] % 16384)};
}

struct McastSocket::Buffers {
    std::vector<std::byte> bytes = std::vector<std::byte>(most_at_once * longest_datagram);
    std::vector<iovec> pieces = std::vector<iovec>(2 * most_at_once);
    std::vector<mmsghdr> messages = std::vector<mmsghdr>(most_at_once);
};

McastSocket::McastSocket(const McastGroup& group, const std::vector<McastInterface>& interfaces)
    : group_(group), buffers_(std::make_unique<Buffers>()) {
    if (interfaces.empty())
        throw Error(Code::environment, "multicast: this host has no NIC that can");
    socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket_ < 0) fail("no socket");
    const auto set = [&](int level, int option, const auto& value) {
        return setsockopt(socket_, level, option, &value, sizeof value) == 0;
    };
    try {
        // Several ranks of a host each get every datagram.
        if (!set(SOL_SOCKET, SO_REUSEADDR, 1)) fail("the port cannot be shared");
        set(SOL_SOCKET, SO_RCVBUF, receive_buffer);
        set(IPPROTO_IP, IP_MULTICAST_LOOP, 1);
        set(IPPROTO_IP, IP_MULTICAST_TTL, hops);
        set(IPPROTO_IP, IP_MULTICAST_ALL, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(group.address);
        address.sin_port = htons(group.port);
        if (bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            fail("the group's port is taken");
        for (const McastInterface& interface : interfaces) {
            ip_mreqn join{};
            join.imr_multiaddr = address.sin_addr;
            join.imr_ifindex = interface.index;
            if (!set(IPPROTO_IP, IP_ADD_MEMBERSHIP, join))
                fail(("the group cannot be joined on " + interface.name).c_str());
        }
        send_by(interfaces.front());
    } catch (...) {
        close(socket_);
        throw;
    }
}

McastSocket::~McastSocket() { close(socket_); }

void McastSocket::send_by(const McastInterface& interface) {
    ip_mreqn out{};
    out.imr_ifindex = interface.index;
    if (setsockopt(socket_, IPPROTO_IP, IP_MULTICAST_IF, &out, sizeof out) != 0)
        fail(("nothing can be sent by " + interface.name).c_str());
}

std::size_t McastSocket::send(std::span<const Datagram> datagrams) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(group_.address);
    to.sin_port = htons(group_.port);
    const std::size_t count = std::min(datagrams.size(), most_at_once);
    for (std::size_t i = 0; i < count; ++i) {
        const Datagram& each = datagrams[i];
        iovec* pieces = &buffers_->pieces[2 * i];
        pieces[0] = {const_cast<McastHeader*>(&each.header), sizeof each.header};
        pieces[1] = {const_cast<std::byte*>(each.data), static_cast<std::size_t>(each.bytes)};
        buffers_->messages[i] = {};
        buffers_->messages[i].msg_hdr = {&to, sizeof to, pieces, 2, nullptr, 0, 0};
    }
    const int sent = sendmmsg(socket_, buffers_->messages.data(), static_cast<unsigned>(count), 0);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    const bool later =
        errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == EINTR;
    return later ? 0 : 1;
}

bool McastSocket::receive(std::size_t most, const Take& take) {
    const std::size_t count = std::min(most, most_at_once);
    for (std::size_t i = 0; i < count; ++i) {
        buffers_->pieces[i] = {buffers_->bytes.data() + i * longest_datagram, longest_datagram};
        buffers_->messages[i] = {};
        buffers_->messages[i].msg_hdr.msg_iov = &buffers_->pieces[i];
        buffers_->messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int came = recvmmsg(socket_, buffers_->messages.data(), static_cast<unsigned>(count),
                              MSG_DONTWAIT, nullptr);
    for (int i = 0; i < came; ++i) {
        const mmsghdr& message = buffers_->messages[static_cast<std::size_t>(i)];
        const auto* start = static_cast<const std::byte*>(message.msg_hdr.msg_iov->iov_base);
        McastHeader header = no_header;
        if (message.msg_len < sizeof header || (message.msg_hdr.msg_flags & MSG_TRUNC)) {
            take(header, {});
            continue;
        }
        std::memcpy(&header, start, sizeof header);
        take(header, {start + sizeof header, message.msg_len - sizeof header});
    }
    return came > 0;
}

void McastSocket::sleep(Seconds longest) {
    pollfd arrival{socket_, POLLIN, 0};
    const auto nanoseconds = static_cast<long>(std::max(0.0, longest) * 1e9);
    const timespec until{nanoseconds / 1000000000, nanoseconds % 1000000000};
    ppoll(&arrival, 1, &until, nullptr);
}

}  // namespace eco
