// SPDX-License-Identifier: BSD-3-Clause
// The model of a network as a plain value: the overheads of a message for sender and receiver, and
// the links that it shares with others on its route. Derived from a profile; read by simulate/ and
// by bounds/bound.h. The same on all ranks that have the same profile.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "eco/topology/measured_mcast.h"
#include "eco/topology/model.h"

namespace eco {

// A limit so near what the links pass anyway is none.
inline constexpr double hardly_limits = 0.95;

// What flows share: a bus; one direction of a host's port on a switch; one direction of what joins
// a cluster to those around it.
struct Link {
    enum class Kind { bus, port_out, port_in, uplink_out, uplink_in };
    Kind kind = Kind::bus;
    double rate = 0;   // bytes on the wire per second
    int cluster = -1;  // in Network::clusters; of a port the host's innermost
    int host = -1;     // of a port
    // Bytes on the wire that pass at once after a rest, as where a token bucket limits the rate.
    double burst = 0;
};

// Messages travel in frames; a link carries more than their bytes.
struct Frame {
    Bytes payload = 1448;
    Bytes overhead = 0;  // per frame, with what acknowledges it
    Bytes message = 0;   // per message, MPI's own header
    bool operator==(const Frame&) const = default;
};

// TCP over Ethernet, with acknowledgements of every second frame, and the MPI libraries' headers.
inline constexpr Frame full_frame{1448, 98, 66};

// Profiles have the bytes of messages per second; a full frame carries more.
inline constexpr double on_wire =
    1 + static_cast<double>(full_frame.overhead) / static_cast<double>(full_frame.payload);

struct Cluster {
    int level = -1, id = 0;  // of Profile::levels; -1: all hosts
    int parent = -1, depth = 0;
    int bus = -1, uplink_out = -1, uplink_in = -1;  // links; -1: none
    std::vector<int> hosts;
};

struct Network {
    std::vector<std::string> hosts;
    std::vector<Cost> send, receive;  // per host
    Table fixed;  // seconds from host to host beyond what overheads and links take
    Table cap;    // most bytes on the wire per second of one flow; 0: what its links carry
    // Per host its row and column in these two tables, where hosts share some; empty: each its own.
    std::vector<int> row_of;
    std::size_t row(int host) const {
        return static_cast<std::size_t>(row_of.empty() ? host
                                                       : row_of[static_cast<std::size_t>(host)]);
    }
    Frame frame;
    Forwarding forwarding = Forwarding::store;
    Cost local{1e-6, 2e-10};  // between ranks of one host, which use no link
    Seconds shared_gap = 0;   // as in Model
    // One message after the other between two ranks, as on a TCP connection; else all that are
    // under way share the wire.
    bool ordered = true;
    // Bytes that a connection sends before it waits for a first acknowledgement, twice as many
    // before the next, and so on, as TCP does after a quiet time; 0: never waits.
    Bytes first_flight = 0;
    double error = 0;      // median relative error of single messages' times
    bool assumed = false;  // no model was measured: media are taken to be switches

    std::vector<Cluster> clusters;       // nested; the first holds all hosts
    std::vector<Link> links;             // see Link
    std::vector<int> cluster_of;         // per host, the innermost of two hosts or more
    std::vector<int> port_out, port_in;  // per host, links; -1: it is on a bus, or has no limit

    // Where what one host multicasts reaches all others, the narrowest first; bytes on the wire per
    // second.
    struct McastReach {
        std::vector<bool> holds;  // per host
        double rate = 0;
        Seconds send = 0, receive = 0;  // as in McastArea
    };
    std::vector<McastReach> mcasts;

    // The links that a multicast crosses, each once, and the most it carries; rate 0: it does not
    // reach them all. No links: it goes by NICs that MPI's messages do not use, which all
    // multicasts of `reach` (of mcasts) share.
    struct McastRoute {
        std::vector<int> links;
        double rate = 0;
        int reach = -1;
    };
    McastRoute mcast_route(int from, const std::vector<int>& to) const;

    // The same hosts where messages go in stripes over two rails, over three and so on.
    std::vector<Network> railed;
    int rails() const { return static_cast<int>(railed.size()) + 1; }
    const Network& over(int rails) const {
        return rails < 2 || railed.empty()
                   ? *this
                   : railed[std::min(static_cast<std::size_t>(rails) - 2, railed.size() - 1)];
    }

    // Bytes on the wire of messages with `bytes` bytes together, `messages` of them at least.
    double wire(Bytes bytes, Bytes messages = 1) const {
        const Bytes frames = std::max(messages, (bytes + frame.payload - 1) / frame.payload);
        return static_cast<double>(bytes + frames * frame.overhead + messages * frame.message);
    }

    // The links that a message crosses, in order; empty on one host.
    std::vector<int> route(int from, int to) const;

    // The least rate on the way, the pair's own included; infinite where nothing limits it.
    double rate(int from, int to, const std::vector<int>& route) const;
    double links_rate(const std::vector<int>& route) const;  // the pair's own not included

    // How much later than it leaves a message arrives: the fixed part, and, where frames are stored
    // (Forwarding), the first frame's time on every link but the slowest; on that too where a
    // bucket is before it, which keeps a frame back before it is sent.
    Seconds delay(int from, int to, const std::vector<int>& route, Bytes bytes) const;

    // Of so many bytes on the wire what buckets on a quiet way let pass at once, where the slowest
    // link has this rate.
    double passes(const std::vector<int>& route, double rate, double bytes) const;

    // The same of messages to and fro: all that buckets hold where each way has its own; of one
    // that both use no more than comes in while nothing flows, `beyond` and as long as the first
    // frame is on its way.
    double passes_to_and_fro(int a, int b, Bytes bytes, Seconds beyond) const;

    // From the call of send to the return of receive, with nothing else under way.
    Seconds alone(int from, int to, Bytes bytes) const;

    // The longest part of a message between its overheads that may be processor time: with more,
    // its receiver would wait until its sender's turn is over, also where nothing else is under
    // way.
    Seconds longest_gap(int from, int to) const;

    // "bus of subnet 2", "port of n3, out", with the hosts of what has no name.
    std::string name(int link) const;
};

// Hosts, clusters and links, no costs: every host on a switch has ports of its rate (0: unlimited),
// rates in bytes on the wire. row_of: see Network.
Network assemble_network(const std::vector<std::string>& hosts, const Levels& levels,
                         const std::vector<Medium>& media, const std::vector<double>& port_rates,
                         std::vector<int> row_of = {});

// Of a profile's multicasts.
std::vector<Network::McastReach> mcast_reaches(const MeasuredMcast& mcast, const Levels& levels);

}  // namespace eco
