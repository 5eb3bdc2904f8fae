// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/check_links.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/job/share.h"
#include "eco/measure/host_facts.h"
#include "eco/measure/messages.h"
#include "eco/mpi/gather_all.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/topology/host_names.h"
#include "eco/transport/interfaces.h"
#include "eco/transport/link_socket.h"

namespace eco {

namespace {

using nlohmann::json;

// Small packets go in windows that no buffer is too short for. MPI's messages are short too: long
// ones may be what does not get through.
constexpr int window = 20, windows = 15, small_bytes = 92;
constexpr int full_packets = 6;
// Of the small ones of one way; fewer may be chance (eco.doctor.links has the same).
constexpr int lossy = 2;
// A packet that is this much behind the word that it was sent is lost; then the last ones.
constexpr Seconds behind = 30e-3, last = 250e-3;
constexpr Seconds connecting = 1.5;
constexpr int check_tag = 31;
constexpr std::size_t most_networks = 6;

// One end of a link.
struct End {
    LinkAddress own;
    in_port_t port = 0, listener = 0;
};
struct Ends {
    std::array<char, 64> name{};
    std::array<End, most_networks> in{};
};

struct Figures {
    int sent = 0, arrived = 0;             // small packets
    int full_bytes = 0, full_arrived = 0;  // packets as long as both MTUs allow
    int connects = -1;                     // by TCP, tried if none of the small ones arrived
};

bool same(const in6_addr& a, const in6_addr& b) { return IN6_ARE_ADDR_EQUAL(&a, &b); }

class Checking {
public:
    explicit Checking(const std::set<std::string>& not_joining) : not_joining_(not_joining) {}

    // Whether packets of this rank were lost.
    bool run() {
        find_neighbours();
        if (place_ < 0) return false;
        open();
        const int hosts = static_cast<int>(leader_.size());
        // Pairs of one phase have no host in common.
        for (int phase = 0; phase < 2; ++phase)
            for (int n = phase; n + 1 < hosts; n += 2) meet(n, n + 1);
        if (hosts > 2) meet(hosts - 1, 0);
        return lost_;
    }

private:
    // A rank stands for its host if it is the first there; place_: among those, or -1.
    void find_neighbours() {
        int rank = 0;
        check_mpi(mpi_.Comm_rank(mpi_.comm_world, &rank));
        const std::string name = processor_name();
        name.copy(own_.name.data(), own_.name.size() - 1);
        const std::vector<std::uint64_t> all = gather_each(mpi_.comm_world, name_hash(name));
        for (int other = 0; other < static_cast<int>(all.size()); ++other) {
            if (std::find(all.begin(), all.begin() + other, all[at(other)]) != all.begin() + other)
                continue;
            if (other == rank) place_ = static_cast<int>(leader_.size());
            leader_.push_back(other);
        }
    }

    void open() {
        for (const LinkAddress& address : link_addresses()) {
            if (sockets_.size() == most_networks) break;
            if (not_joining_.count(network_text(address.address, address.prefix)) > 0) continue;
            try {
                sockets_.push_back(std::make_unique<LinkSocket>(address));
            } catch (const Error&) {
                continue;  // that network is not looked at
            }
            own_.in[sockets_.size() - 1] = {address, sockets_.back()->port(),
                                            sockets_.back()->listener()};
        }
    }

    // One of them is this host; both call it.
    void meet(int a, int b) {
        if (place_ != a && place_ != b) return;
        const bool begins = place_ == a;
        const int peer = leader_[at(begins ? b : a)];
        Ends other;
        if (begins) send_bytes(&own_, sizeof own_, peer, check_tag);
        await_bytes(&other, sizeof other, peer, check_tag);
        if (!begins) send_bytes(&own_, sizeof own_, peer, check_tag);
        const Ends &first = begins ? own_ : other, &second = begins ? other : own_;
        const auto exchange = [&](std::size_t one, std::size_t two, bool routed) {
            const std::size_t mine = begins ? one : two, its = begins ? two : one;
            if (begins) send(mine, other, its, peer, routed);
            receive(mine, peer);
            if (!begins) send(mine, other, its, peer, routed);
        };
        bool joined = false;
        for (std::size_t one = 0; one < most_networks; ++one)
            for (std::size_t two = 0; two < most_networks; ++two) {
                const LinkAddress &here = first.in[one].own, &there = second.in[two].own;
                if (first.in[one].port == 0 || second.in[two].port == 0 ||
                    !same(here.network, there.network) || here.prefix != there.prefix ||
                    same(here.address, there.address))
                    continue;
                exchange(one, two, false);
                joined = true;
            }
        // Routers are between them.
        if (!joined && first.in[0].port != 0 && second.in[0].port != 0 &&
            is_ipv4(first.in[0].own.address) == is_ipv4(second.in[0].own.address))
            exchange(0, 0, true);
    }

    void send(std::size_t mine, const Ends& other, std::size_t its, int peer, bool routed) {
        const LinkSocket& socket = *sockets_[mine];
        const End &source = own_.in[mine], &target = other.in[its];
        Figures figures;
        figures.full_bytes = std::min(source.own.mtu, target.own.mtu);
        const auto post = [&](int number, int bytes) {
            socket.send(target.own.address, target.port, static_cast<std::uint32_t>(number), bytes);
        };
        for (int turn = 0; turn < windows; ++turn) {
            for (int n = 0; n < window; ++n) post(figures.sent++, small_bytes);
            if (told(peer) == 0) break;
        }
        figures.arrived = told(peer);
        lost_ |= figures.arrived > 0 && figures.arrived <= figures.sent - lossy;
        if (figures.arrived > 0) {
            for (int n = 0; n < full_packets; ++n) post(figures.sent + n, figures.full_bytes);
            figures.full_arrived = told(peer);
        } else {
            if (target.listener != 0)
                figures.connects =
                    socket.connects(source.own, target.own.address, target.listener, connecting)
                        ? 1
                        : 0;
            tell(peer, 0);  // until then it listens
        }
        note(other, source, routed, figures);
    }

    void receive(std::size_t mine, int peer) {
        const LinkSocket& socket = *sockets_[mine];
        std::vector<bool> came(windows * window + full_packets);
        int sent = 0, arrived = 0;
        for (int turn = 0; turn < windows; ++turn) {
            await_word(peer);
            sent += window;
            arrived = socket.receive(came, sent, turn == 0 ? last : behind);
            tell(peer, arrived);
            if (arrived == 0) break;
        }
        await_word(peer);
        arrived = socket.receive(came, sent, last);
        tell(peer, arrived);
        await_word(peer);
        if (arrived == 0) return;
        // Small ones that come only now are late, not lost, and no full ones.
        socket.receive(came, sent + full_packets, last);
        tell(peer, static_cast<int>(std::count(came.begin() + sent, came.end(), true)));
    }

    // The sender's word that all is sent, and the receiver's answer.
    int told(int peer) {
        int word = 0;
        send_bytes(&word, sizeof word, peer, check_tag);
        await_bytes(&word, sizeof word, peer, check_tag);
        return word;
    }
    void await_word(int peer) {
        int word = 0;
        await_bytes(&word, sizeof word, peer, check_tag);
    }
    void tell(int peer, int count) { send_bytes(&count, sizeof count, peer, check_tag); }

    void note(const Ends& to, const End& source, bool routed, const Figures& figures) {
        const std::string network = routed ? is_ipv4(source.own.address) ? "0.0.0.0/0" : "::/0"
                                           : network_text(source.own.address, source.own.prefix);
        json entry{{"from", own_.name.data()},
                   {"to", to.name.data()},
                   {"network", network},
                   {"sent", figures.sent},
                   {"arrived", figures.arrived},
                   {"full_bytes", figures.full_bytes},
                   {"full_sent", figures.arrived > 0 ? full_packets : 0},
                   {"full_arrived", figures.full_arrived}};
        if (figures.connects >= 0) entry["connects"] = figures.connects == 1;
        tell_of_host("link", entry);
    }

    const Native& mpi_ = native();
    const std::set<std::string>& not_joining_;
    int place_ = -1;
    bool lost_ = false;
    std::vector<int> leader_;  // per host its first rank
    std::vector<std::unique_ptr<LinkSocket>> sockets_;
    Ends own_;
};

}  // namespace

bool check_links(const std::set<std::string>& not_joining) {
    const bool lost = Checking(not_joining).run();
    const std::vector<char> all = gather_each(native().comm_world, static_cast<char>(lost));
    return std::count(all.begin(), all.end(), 1) > 0;
}

}  // namespace eco
