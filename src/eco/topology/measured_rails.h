// SPDX-License-Identifier: BSD-3-Clause
// The rails of a measured network: parallel networks that join its hosts (docs/formats.md,
// "rails"). Measured by `eco measure`; read by a running program, which stripes messages by their
// rates.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/model.h"

namespace eco {

// What a rail carries between hosts whose smallest common cluster is this one, where that is not
// about what it carries elsewhere (sites joined by a slow link, say).
struct RateWithin {
    int level = 0, cluster = 0;  // level -1: no common one
    double rate = 0;
    bool operator==(const RateWithin&) const = default;
};

// Of one network.
struct RailRates {
    double usual = 0;
    std::vector<RateWithin> within;
    // Between two hosts; the same both ways.
    double between(int a, int b, const Levels& levels) const;
    bool operator==(const RailRates&) const = default;
};

struct MeasuredRail {
    std::string network;            // 10.9.0.0/16, or the fabric's name
    std::vector<std::string> card;  // per host, eth0 or the like; empty: it has none there
    Table latency, bandwidth;       // seconds, bytes per second; 0 if it does not join the two
    RailRates rates;                // usual: the median of the bandwidths
    bool operator==(const MeasuredRail&) const = default;
};

// An interface that is no rail.
struct LeftOut {
    std::string host, card, why;
    bool operator==(const LeftOut&) const = default;
};

struct MeasuredRails {
    std::string provider;  // libfabric's
    std::vector<MeasuredRail> rails;
    std::vector<LeftOut> left_out;
    // Longer messages go in stripes over all rails, others over one; the usual value where that was
    // not measured (Qian and Afsahi, §6).
    Bytes longest_short = 1024;
    int most = 0;  // that join the two hosts that the most join
    bool operator==(const MeasuredRails&) const = default;

    // Fills in what follows from the tables.
    void derive(const Levels& levels);
    // Of the rail whose card that is; 0: no rail's.
    double rate_of(std::size_t host, const std::string& card) const;
    // The least between any two of the hosts, whose cards (per host of the network) all belong to
    // one rail; 0: they do not.
    double rate_among(const std::vector<int>& hosts, const std::vector<std::string>& cards,
                      const Levels& levels) const;
    // By network.
    std::map<std::string, RailRates> rates() const;
};

nlohmann::json rails_json(const MeasuredRails& rails, const Levels& levels);

// The part that a running program needs: networks, their rates, how many, what is short. Read by
// read_rails with hosts = 0.
nlohmann::json rates_json(const MeasuredRails& rails);

// Throws Error{bad_input} with one sentence that begins with origin.
MeasuredRails read_rails(const nlohmann::json& root, std::size_t hosts, const Levels& levels,
                         const std::string& origin);

}  // namespace eco
