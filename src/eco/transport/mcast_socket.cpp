// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_socket.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "eco/base/error.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

constexpr std::size_t most_at_once = 32;
constexpr std::size_t longest_datagram = 9216;
// With the headers of IP and UDP in one packet of 65,535.
constexpr Bytes longest_run = 65000;
// Asked for; the kernel gives what net.core.rmem_max allows. Twice this is what it counts.
constexpr int receive_buffer = 8 << 20;
// Routers on the way, at most.
constexpr int hops = 16;

[[noreturn]] void fail(const char* what) {
    throw Error(Code::environment, std::string("multicast: ") + what + ": " + std::strerror(errno));
}

template <typename Value>
bool set(int socket, int level, int option, const Value& value) {
    return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

// What the two families call alike.
struct Names {
    int domain, level;
    int loop, hops, all;  // options of sockets
    Bytes least_mtu;      // what the family demands of a link; less is no MTU
};

Names names_of(IpFamily family) {
    if (family == IpFamily::ipv4)
        return {AF_INET, IPPROTO_IP, IP_MULTICAST_LOOP, IP_MULTICAST_TTL, IP_MULTICAST_ALL, 576};
    return {AF_INET6,           IPPROTO_IPV6, IPV6_MULTICAST_LOOP, IPV6_MULTICAST_HOPS,
            IPV6_MULTICAST_ALL, 1280};
}

}  // namespace

std::vector<McastInterface> mcast_interfaces(IpFamily family) {
    const Names names = names_of(family);
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return {};
    std::vector<McastInterface> found;
    for (const ifaddrs* each = list; each; each = each->ifa_next) {
        const unsigned wanted = IFF_UP | IFF_RUNNING | IFF_MULTICAST;
        if (!each->ifa_addr || each->ifa_addr->sa_family != names.domain ||
            (each->ifa_flags & wanted) != wanted || (each->ifa_flags & IFF_LOOPBACK))
            continue;
        const std::string name = each->ifa_name;
        // A label, eth0:1, is another name of a NIC.
        const auto index = static_cast<int>(if_nametoindex(name.c_str()));
        const auto same = [&](const McastInterface& other) { return other.index == index; };
        const Bytes mtu = mtu_of(name);
        if (is_bridge(name) || mtu < names.least_mtu ||
            std::any_of(found.begin(), found.end(), same))
            continue;
        found.push_back({name, index, mtu});
    }
    freeifaddrs(list);
    std::sort(found.begin(), found.end(),
              [](const McastInterface& a, const McastInterface& b) { return a.name < b.name; });
    return found;
}

struct McastSocket::Buffers {
    std::vector<std::byte> bytes = std::vector<std::byte>(most_at_once * longest_datagram);
    std::vector<iovec> pieces = std::vector<iovec>(2 * most_at_once);
    std::vector<mmsghdr> messages = std::vector<mmsghdr>(most_at_once);
    std::vector<sockaddr_storage> senders = std::vector<sockaddr_storage>(most_at_once);
};

int McastSocket::open_socket() {
    const int opened =
        socket(names_of(family()).domain, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (opened < 0) fail("no socket");
    if (family() == IpFamily::ipv6) set(opened, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    set(opened, SOL_SOCKET, SO_RCVBUF, receive_buffer);
    return opened;
}

McastSocket::McastSocket(const McastAddress& group, const std::vector<McastInterface>& interfaces,
                         bool joins)
    : group_(group), buffers_(std::make_unique<Buffers>()) {
    if (interfaces.empty())
        throw Error(Code::environment, "multicast: this host has no NIC that can");
    const Names names = names_of(family());
    try {
        bind_group();
        // Who has not joined receives what another process of the host has joined.
        set(group_socket_, names.level, names.all, joins ? 0 : 1);
        if (joins) join(interfaces);
        own_socket_ = open_socket();
        set(own_socket_, names.level, names.loop, 1);
        set(own_socket_, names.level, names.hops, hops);
        // The family with nothing else: any address, any port.
        KernelAddress any;
        any.storage.ss_family = static_cast<sa_family_t>(names.domain);
        if (bind(own_socket_, any.get(), kernel_address(group_).size) != 0) fail("no port");
        send_by(interfaces.front());
    } catch (...) {
        close_all();
        throw;
    }
}

// A kernel allows so many groups for a socket (20 by default), and hosts may have more interfaces.
void McastSocket::join(const std::vector<McastInterface>& interfaces) {
    for (const McastInterface& interface : interfaces)
        if (set_membership(MCAST_JOIN_GROUP, interface))
            joined_.push_back(interface);
        else if (joined_.empty())
            fail(("the group cannot be joined on " + interface.name).c_str());
}

void McastSocket::bind_group() {
    group_socket_ = open_socket();
    // Several ranks of a host each get every datagram.
    if (!set(group_socket_, SOL_SOCKET, SO_REUSEADDR, 1)) fail("the port cannot be shared");
    KernelAddress address = kernel_address(group_);
    if (bind(group_socket_, address.get(), address.size) != 0) fail("the group's port is taken");
}

bool McastSocket::set_membership(int option, const McastInterface& interface) {
    group_req membership{};
    membership.gr_interface = static_cast<std::uint32_t>(interface.index);
    membership.gr_group = kernel_address(group_).storage;
    return set(group_socket_, names_of(family()).level, option, membership);
}

// Joined again at once, Linux sends a report of joining and none of leaving.
void McastSocket::say_again() {
    for (const McastInterface& interface : joined_)
        if (set_membership(MCAST_LEAVE_GROUP, interface))
            set_membership(MCAST_JOIN_GROUP, interface);
}

McastSocket::~McastSocket() { close_all(); }

void McastSocket::close_all() {
    for (const int each : {group_socket_, own_socket_})
        if (each >= 0) close(each);
}

void McastSocket::send_by(const McastInterface& interface) {
    ip_mreqn out{};
    out.imr_ifindex = interface.index;
    const bool can = family() == IpFamily::ipv4
                         ? set(own_socket_, IPPROTO_IP, IP_MULTICAST_IF, out)
                         : set(own_socket_, IPPROTO_IPV6, IPV6_MULTICAST_IF, interface.index);
    if (!can) fail(("nothing can be sent by " + interface.name).c_str());
}

// Of one length, but for the last, which may be shorter.
static std::size_t length_of_run(std::span<const Datagram> datagrams) {
    std::size_t count = 0;
    Bytes bytes = 0;
    for (const Datagram& each : datagrams) {
        bytes += static_cast<Bytes>(sizeof each.header) + each.bytes;
        if (each.bytes > datagrams[0].bytes || bytes > longest_run) break;
        ++count;
        if (each.bytes < datagrams[0].bytes) break;
    }
    return count;
}

// The kernel cuts it, so that it passes IP once (UDP_SEGMENT). False where it does not, or its NIC:
// then it is never tried again.
bool McastSocket::send_run(std::span<const Datagram> run, const msghdr& first) {
    const auto length =
        static_cast<std::uint16_t>(sizeof(McastHeader) + static_cast<std::size_t>(run[0].bytes));
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof length)> control{};
    msghdr whole = first;
    whole.msg_iovlen = 2 * run.size();
    whole.msg_control = control.data();
    whole.msg_controllen = control.size();
    cmsghdr* each = CMSG_FIRSTHDR(&whole);
    each->cmsg_level = IPPROTO_UDP;
    each->cmsg_type = UDP_SEGMENT;
    each->cmsg_len = CMSG_LEN(sizeof length);
    std::memcpy(CMSG_DATA(each), &length, sizeof length);
    if (sendmsg(own_socket_, &whole, 0) >= 0) return true;
    const bool refused = errno == EIO || errno == EINVAL || errno == EMSGSIZE ||
                         errno == ENOPROTOOPT || errno == EOPNOTSUPP;
    if (refused) cuts_ = false;
    return false;
}

std::size_t McastSocket::send(std::span<const Datagram> datagrams, const McastAddress& to) {
    KernelAddress target = kernel_address(to == all_of_the_job ? group_ : to);
    const std::size_t count = std::min(datagrams.size(), most_at_once);
    for (std::size_t i = 0; i < count; ++i) {
        const Datagram& each = datagrams[i];
        iovec* pieces = &buffers_->pieces[2 * i];
        pieces[0] = {const_cast<McastHeader*>(&each.header), sizeof each.header};
        pieces[1] = {const_cast<std::byte*>(each.data), static_cast<std::size_t>(each.bytes)};
        buffers_->messages[i] = {};
        buffers_->messages[i].msg_hdr = {target.get(), target.size, pieces, 2, nullptr, 0, 0};
    }
    const std::size_t run = cuts_ ? length_of_run(datagrams.first(count)) : 0;
    if (run > 1 && send_run(datagrams.first(run), buffers_->messages[0].msg_hdr)) return run;
    const int sent =
        sendmmsg(own_socket_, buffers_->messages.data(), static_cast<unsigned>(count), 0);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    const bool later =
        errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == EINTR;
    return later ? 0 : 1;
}

bool McastSocket::receive(std::size_t most, const Take& take) {
    const bool any = receive_by(own_socket_, most, take);
    return receive_by(group_socket_, most, take) || any;
}

bool McastSocket::receive_by(int socket, std::size_t most, const Take& take) {
    const std::size_t count = std::min(most, most_at_once);
    for (std::size_t i = 0; i < count; ++i) {
        buffers_->pieces[i] = {buffers_->bytes.data() + i * longest_datagram, longest_datagram};
        buffers_->messages[i] = {};
        msghdr& header = buffers_->messages[i].msg_hdr;
        header.msg_iov = &buffers_->pieces[i];
        header.msg_iovlen = 1;
        header.msg_name = &buffers_->senders[i];
        header.msg_namelen = sizeof buffers_->senders[i];
    }
    const int came = recvmmsg(socket, buffers_->messages.data(), static_cast<unsigned>(count),
                              MSG_DONTWAIT, nullptr);
    for (int i = 0; i < came; ++i) {
        const mmsghdr& message = buffers_->messages[static_cast<std::size_t>(i)];
        const McastAddress from = address_of(buffers_->senders[static_cast<std::size_t>(i)]);
        const auto* start = static_cast<const std::byte*>(message.msg_hdr.msg_iov->iov_base);
        McastHeader header = no_header;
        if (message.msg_len < sizeof header || (message.msg_hdr.msg_flags & MSG_TRUNC)) {
            take(header, {}, from);
            continue;
        }
        std::memcpy(&header, start, sizeof header);
        take(header, {start + sizeof header, message.msg_len - sizeof header}, from);
    }
    return came > 0;
}

void McastSocket::sleep(Seconds longest) {
    pollfd arrivals[] = {{group_socket_, POLLIN, 0}, {own_socket_, POLLIN, 0}};
    const auto nanoseconds = static_cast<long>(std::max(0.0, longest) * 1e9);
    const timespec until{nanoseconds / 1000000000, nanoseconds % 1000000000};
    ppoll(arrivals, 2, &until, nullptr);
}

}  // namespace eco
