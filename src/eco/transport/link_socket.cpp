// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/link_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include "eco/base/error.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

// Of IP and UDP.
int headers(bool ipv4) { return ipv4 ? 28 : 48; }
constexpr int longest = 65535;

// What a datagram begins with, so that a stranger's is not taken for one.
struct Mark {
    std::uint32_t word = 0x65636f6c, number = 0;
};

int family_of(const in6_addr& address) { return is_ipv4(address) ? AF_INET : AF_INET6; }

// The port that the system gives; 0: none.
in_port_t bound(int socket, const in6_addr& address) {
    sockaddr_storage own{};
    socklen_t size = socket_address(address, 0, own);
    if (bind(socket, reinterpret_cast<const sockaddr*>(&own), size) != 0 ||
        getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0)
        return 0;
    return reinterpret_cast<const sockaddr_in*>(&own)->sin_port;  // at the same place in both
}

int milliseconds(Seconds time) { return static_cast<int>(std::max(0.0, time) * 1e3); }

bool is_ready(int socket, short what, Seconds patience) {
    pollfd one{socket, what, 0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    while (true) {
        const Seconds left =
            std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
        const int ready = poll(&one, 1, milliseconds(left));
        if (ready >= 0 || errno != EINTR) return ready > 0;
    }
}

}  // namespace

std::vector<LinkAddress> link_addresses() {
    std::vector<LinkAddress> found;
    for (const IpAddress& each : ip_addresses())
        if (!is_bridge(each.interface) && !is_down(each.interface))
            found.push_back({each.address, network_of(each.address, each.prefix), each.prefix,
                             mtu_of(each.interface)});
    return found;
}

LinkSocket::LinkSocket(const LinkAddress& own) : ipv4_(is_ipv4(own.address)) {
    socket_ = socket(family_of(own.address), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // Whole or not at all, also where a router has said that it is too long: that is looked for.
    const int whole = ipv4_ ? IP_PMTUDISC_PROBE : IPV6_PMTUDISC_PROBE;
    if (socket_ >= 0)
        setsockopt(socket_, ipv4_ ? IPPROTO_IP : IPPROTO_IPV6,
                   ipv4_ ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER, &whole, sizeof whole);
    if (socket_ < 0 || (port_ = bound(socket_, own.address)) == 0) {
        const int why = errno;
        if (socket_ >= 0) close(socket_);
        throw Error(Code::environment, std::string("a UDP socket: ") + std::strerror(why));
    }
    listening_ = socket(family_of(own.address), SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening_ < 0) return;
    const in_port_t port = bound(listening_, own.address);
    if (port != 0 && listen(listening_, 16) == 0) listener_port_ = port;
}

LinkSocket::~LinkSocket() {
    close(socket_);
    if (listening_ >= 0) close(listening_);
}

bool LinkSocket::send(const in6_addr& to, in_port_t port, std::uint32_t number, int bytes) const {
    sockaddr_storage receiver{};
    const socklen_t size = socket_address(to, port, receiver);
    std::array<char, longest> packet{};
    Mark mark;
    mark.number = number;
    std::memcpy(packet.data(), &mark, sizeof mark);
    const auto length = static_cast<std::size_t>(std::clamp(
        bytes - headers(ipv4_), static_cast<int>(sizeof mark), longest - headers(ipv4_)));
    for (int attempt = 0; attempt < 10; ++attempt) {
        if (sendto(socket_, packet.data(), length, 0, reinterpret_cast<const sockaddr*>(&receiver),
                   size) >= 0)
            return true;
        // An answer that a port is closed belongs to what was sent before.
        if (errno != EINTR && errno != EAGAIN && errno != ENOBUFS && errno != ECONNREFUSED)
            return false;
        if (errno == EAGAIN || errno == ENOBUFS) is_ready(socket_, POLLOUT, 5e-3);
    }
    return false;
}

int LinkSocket::receive(std::vector<bool>& came, int enough, Seconds patience) const {
    auto marked = static_cast<int>(std::count(came.begin(), came.end(), true));
    while (marked < enough && is_ready(socket_, POLLIN, patience)) {
        std::array<char, sizeof(Mark)> start{};
        Mark mark;
        mark.word = 0;
        const auto bytes = recv(socket_, start.data(), start.size(), 0);
        if (bytes < static_cast<ssize_t>(sizeof mark)) continue;
        std::memcpy(&mark, start.data(), sizeof mark);
        if (mark.word != Mark().word || mark.number >= came.size() || came[mark.number]) continue;
        came[mark.number] = true;
        ++marked;
    }
    return marked;
}

bool LinkSocket::connects(const LinkAddress& own, const in6_addr& to, in_port_t port,
                          Seconds patience) const {
    sockaddr_storage listener{};
    const socklen_t length = socket_address(to, port, listener);
    const int way = socket(family_of(own.address), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (way < 0) return false;
    bool joined = false;
    if (bound(way, own.address) != 0) {
        joined = connect(way, reinterpret_cast<const sockaddr*>(&listener), length) == 0;
        if (!joined && errno == EINPROGRESS && is_ready(way, POLLOUT, patience)) {
            int fault = 0;
            socklen_t size = sizeof fault;
            joined = getsockopt(way, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0;
        }
    }
    close(way);
    return joined;
}

}  // namespace eco
