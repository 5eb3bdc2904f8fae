// SPDX-License-Identifier: BSD-3-Clause
// Where IP multicast reaches (docs/formats.md, "mcast"). Measured by `eco measure`;
// read by a running program, which multicasts there.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eco/base/ip_family.h"
#include "eco/base/units.h"
#include "eco/topology/levels.h"

namespace eco {

// All hosts of a cluster get what any of them multicasts.
struct McastArea {
    int level = -1, cluster = 0;    // of Profile::levels; -1: all hosts
    double rate = 0;                // bytes on the wire per second that arrive
    double loss = 0;                // the part of the datagrams that did not, at this rate
    bool tried = true;              // else the time was over before datagrams arrived at this rate
    Seconds send = 0, receive = 0;  // processor time of a datagram of full length; 0: not known
    // Whether switches copy it to hosts that have not joined the group; empty: not known.
    std::optional<bool> flooded = std::nullopt;
    bool operator==(const McastArea&) const = default;
};

struct MeasuredMcast {
    std::vector<std::string> interfaces;  // per host, by which it sends; empty: it cannot
    Bytes payload = 0;                    // of a message in one datagram
    std::vector<McastArea> areas;         // none: it works nowhere
    IpFamily family = IpFamily::ipv4;     // of all hosts
    bool operator==(const MeasuredMcast&) const = default;
};

nlohmann::json mcast_json(const MeasuredMcast& mcast);

// Throws Error{bad_input} with one sentence that begins with origin.
MeasuredMcast read_mcast(const nlohmann::json& root, std::size_t hosts, const Levels& levels,
                         const std::string& origin);

}  // namespace eco
