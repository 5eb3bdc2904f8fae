// SPDX-License-Identifier: BSD-3-Clause
// libfabric's rails: one endpoint for each NIC of this host, with whatever provider it has. Two
// processes are connected by their NICs in the same networks. Opened once in a process.
#pragma once

#include <functional>
#include <set>

#include "eco/transport/rails.h"

namespace eco {

// A NIC that libfabric could use, and those that it has left out, each with the reason.
struct CardName {
    std::string name, network, provider;
};
struct CardNames {
    std::vector<CardName> cards;
    std::vector<std::pair<std::string, std::string>> left_out;
    std::string why;  // there are none
};
CardNames list_cards();

// What a network's rail carries to a peer, in any unit; the peer must come to the same.
using RateTo = std::function<double(const std::string& network, Rank peer)>;

// networks: where any are given, NICs in others are not used. Null, and `why`, if there is no
// libfabric, or no NIC that it can use.
std::unique_ptr<Rails> open_fabric_rails(const std::set<std::string>& networks, RateTo rate_to,
                                         std::string& why);

}  // namespace eco
