// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/address_check.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "eco/base/at.h"
#include "eco/base/text.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

using Clock = std::chrono::steady_clock;

// Of one network; among more, each tries some.
constexpr std::size_t few_members = 16;
// A network that loses packets loses some of those that connect, and who refuses may not listen
// yet: another socket beside those that still wait for an answer.
constexpr Seconds until_again = 0.5;
constexpr int most_sockets = 3;  // of one try
// Descriptors that are open at once; a process has 1,024 or more.
constexpr std::size_t most_open = 600;
// The kernel cuts it to what it allows.
constexpr int backlog = 4096;

bool same(const in6_addr& a, const in6_addr& b) { return IN6_ARE_ADDR_EQUAL(&a, &b); }

bool same_network(const LinkAddress& a, const LinkAddress& b) {
    return a.prefix == b.prefix && is_ipv4(a.address) == is_ipv4(b.address) &&
           same(a.network, b.network);
}

bool read_address(std::string_view text, LinkAddress& found) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), found.prefix);
    if (error != std::errc() || end != digits.data() + digits.size()) return false;
    std::string address(text.substr(0, slash));
    const bool ipv4 = address.find(':') == std::string::npos;
    if (ipv4) address.insert(0, "::ffff:");
    if (found.prefix < 0 || found.prefix > (ipv4 ? 32 : 128)) return false;
    if (inet_pton(AF_INET6, address.c_str(), &found.address) != 1) return false;
    found.network = network_of(found.address, found.prefix);
    return true;
}

// One socket that connects.
struct Attempt {
    std::size_t number;  // of the try
    int socket;
};

// Below zero: at once no way leads there.
int begin(const AddressTry& each, in_port_t port) {
    sockaddr_storage from{}, to{};
    const socklen_t own = socket_address(each.own.address, 0, from);
    const socklen_t length = socket_address(each.theirs.address, htons(port), to);
    const int way = socket(from.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (way < 0) return way;
    if (bind(way, reinterpret_cast<const sockaddr*>(&from), own) == 0 &&
        (connect(way, reinterpret_cast<const sockaddr*>(&to), length) == 0 || errno == EINPROGRESS))
        return way;
    close(way);
    return -1;
}

bool is_connected(int way) {
    int fault = 0;
    socklen_t size = sizeof fault;
    return getsockopt(way, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0;
}

class Connecting {
public:
    Connecting(std::vector<AddressTry>& tries, const std::vector<HostAddresses>& hosts,
               Seconds patience)
        : tries_(tries), hosts_(hosts), end_(Clock::now() + to_clock(patience)) {}

    void run() {
        Clock::time_point next = Clock::now();
        while (open_tries() > 0 && Clock::now() < end_) {
            if (Clock::now() >= next) {
                for (std::size_t n = 0; n < tries_.size(); ++n)
                    if (!tries_[n].connects) start(n);
                next += to_clock(until_again);
            }
            watch(std::min(next, end_));
        }
        for (const Attempt& each : attempts_) close(each.socket);
    }

private:
    static Clock::duration to_clock(Seconds time) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time));
    }

    std::size_t open_tries() const {
        return at(std::count_if(tries_.begin(), tries_.end(),
                                [](const AddressTry& each) { return !each.connects; }));
    }

    void start(std::size_t number) {
        const AddressTry& each = tries_[number];
        const auto under_way =
            std::count_if(attempts_.begin(), attempts_.end(),
                          [&](const Attempt& attempt) { return attempt.number == number; });
        if (attempts_.size() >= most_open || under_way >= most_sockets ||
            hosts_[each.peer].port == 0)
            return;
        const int way = begin(each, hosts_[each.peer].port);
        if (way >= 0) attempts_.push_back({number, way});
    }

    // What ends until then.
    void watch(Clock::time_point until) {
        std::vector<pollfd> ways;
        for (const Attempt& each : attempts_) ways.push_back({each.socket, POLLOUT, 0});
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        if (poll(ways.data(), ways.size(), static_cast<int>(std::max<long>(left, 0))) <= 0) return;
        for (std::size_t n = 0; n < ways.size(); ++n) {
            if (ways[n].revents == 0) continue;
            if (is_connected(ways[n].fd)) tries_[attempts_[n].number].connects = true;
            close(ways[n].fd);
            attempts_[n].socket = -1;
        }
        std::erase_if(attempts_, [](const Attempt& each) { return each.socket < 0; });
    }

    std::vector<AddressTry>& tries_;
    const std::vector<HostAddresses>& hosts_;
    const Clock::time_point end_;
    std::vector<Attempt> attempts_;
};

}  // namespace

std::string to_text(const HostAddresses& host) {
    std::string text = host.name + "=" + std::to_string(host.port);
    for (const LinkAddress& each : host.addresses)
        text += "+" + text_of(each.address) + "/" + std::to_string(each.prefix);
    return text;
}

std::vector<HostAddresses> hosts_of(const std::string& text) {
    std::vector<HostAddresses> hosts;
    for (const std::string& item : split(text, ',')) {
        const auto equals = item.find('=');
        if (equals == std::string::npos) continue;
        HostAddresses host;
        host.name = item.substr(0, equals);
        const std::vector<std::string> parts = split(item.substr(equals + 1), '+');
        if (parts.empty()) continue;
        std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), host.port);
        for (std::size_t n = 1; n < parts.size(); ++n)
            if (LinkAddress address; read_address(parts[n], address))
                host.addresses.push_back(address);
        hosts.push_back(std::move(host));
    }
    return hosts;
}

Listener::Listener(in_port_t wanted) {
    for (const int family : {AF_INET6, AF_INET}) {
        sockaddr_storage any{};
        socklen_t size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
        any.ss_family = static_cast<sa_family_t>(family);
        reinterpret_cast<sockaddr_in*>(&any)->sin_port = htons(wanted);  // in both at this place
        socket_ = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (socket_ < 0) continue;
        const int off = 0;
        if (family == AF_INET6) setsockopt(socket_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        if (bind(socket_, reinterpret_cast<const sockaddr*>(&any), size) == 0 &&
            listen(socket_, backlog) == 0 &&
            getsockname(socket_, reinterpret_cast<sockaddr*>(&any), &size) == 0) {
            port_ = ntohs(reinterpret_cast<const sockaddr_in*>(&any)->sin_port);
            return;
        }
        const bool taken = errno == EADDRINUSE;
        close(socket_);
        socket_ = -1;
        if (taken) return;
    }
}

Listener::~Listener() {
    if (socket_ >= 0) close(socket_);
}

AddressTries address_tries(const std::vector<HostAddresses>& hosts, std::size_t own) {
    AddressTries found;
    std::map<std::string, std::set<std::size_t>> hosts_with;
    for (std::size_t host = 0; host < hosts.size(); ++host)
        for (const LinkAddress& each : hosts[host].addresses)
            hosts_with[text_of(each.address)].insert(host);
    const auto holders = [&](const in6_addr& address) {
        return hosts_with[text_of(address)].size();
    };
    std::vector<bool> shares(hosts.size());
    for (const LinkAddress& mine : hosts[own].addresses) {
        if (holders(mine.address) > 1) {
            found.twice.push_back(mine);
            continue;
        }
        std::vector<std::pair<std::size_t, const LinkAddress*>> members;
        std::size_t me = 0;
        for (std::size_t host = 0; host < hosts.size(); ++host)
            for (const LinkAddress& each : hosts[host].addresses) {
                if (!same_network(each, mine) || holders(each.address) > 1) continue;
                shares[host] = true;
                if (host == own) me = members.size();
                members.emplace_back(host, &each);
                break;
            }
        for (std::size_t step = 1; step < members.size();
             step = members.size() <= few_members ? step + 1 : 2 * step) {
            const auto& [host, address] = members[(me + step) % members.size()];
            found.tries.push_back({host, mine, *address, false, false});
        }
    }
    if (hosts[own].addresses.empty()) return found;
    const LinkAddress& mine = hosts[own].addresses.front();
    for (std::size_t step = 1; step < hosts.size();
         step = hosts.size() <= few_members ? step + 1 : 2 * step) {
        const std::size_t host = (own + step) % hosts.size();
        const auto& theirs = hosts[host].addresses;
        if (shares[host] || theirs.empty() ||
            is_ipv4(theirs.front().address) != is_ipv4(mine.address) ||
            holders(theirs.front().address) > 1 || holders(mine.address) > 1)
            continue;
        found.tries.push_back({host, mine, theirs.front(), true, false});
    }
    return found;
}

void connect_all(std::vector<AddressTry>& tries, const std::vector<HostAddresses>& hosts,
                 Seconds patience) {
    Connecting(tries, hosts, patience).run();
}

}  // namespace eco
