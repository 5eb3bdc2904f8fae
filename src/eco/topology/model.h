// SPDX-License-Identifier: BSD-3-Clause
// The costs of messages on a measured network beyond pairwise times: overheads of hosts, transfer
// times, and the media that flows share (docs/formats.md, "model"). Measured by `eco measure`, or
// derived from the pairwise times alone; turned into a Network (build_network.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/levels.h"

namespace eco {

// Of one message: seconds, and seconds per byte.
struct Cost {
    Seconds fixed = 0, per_byte = 0;
    Seconds of(Bytes bytes) const { return fixed + per_byte * static_cast<double>(bytes); }
    bool operator==(const Cost&) const = default;
};

// How what joins links passes frames on: once a frame is whole, as bridges and slow switches do, so
// that its time counts on every link; or as it comes, so that it counts once.
enum class Forwarding { store, cut_through };

// What the hosts of one cluster share.
struct Medium {
    // A bus carries all traffic in, out and through it, `rate` in all. A switch limits nothing but
    // each host's own port, `rate` for one flow.
    enum class Kind { bus, switched };
    int level = 0, cluster = 0;  // of Profile::levels
    Kind kind = Kind::switched;
    double rate = 0;    // bytes of messages per second
    double uplink = 0;  // what all flows that leave share, and all that enter; 0: no limit known
    // Bytes on the wire that pass at once after a rest, where rates are those of token buckets: on
    // the bus or a switch's ports, and on the uplink. 0: no more than a frame.
    double burst = 0, uplink_burst = 0;
    // Of what enters, where that is another rate than what leaves (uplink): as that; -1: the same.
    double uplink_in = -1;
    // By what its hosts were told from others: messages take longer to them, or streams to others
    // share what leads there (survey/find_capacity.h).
    enum class FoundBy { distance, capacity };
    FoundBy found_by = FoundBy::distance;

    double into() const { return uplink_in < 0 ? uplink : uplink_in; }
    bool operator==(const Medium&) const = default;
};

// Wu's model: a message of m bytes from i to j takes send[i](m) + transfer(i, j, m) +
// receive[j](m); the first occupies the sender, the last the receiver.
struct Model {
    std::vector<Cost> send, receive;  // per host
    Table fixed, per_byte;            // of the transfer; see row_of
    // Per host its row and column in these tables, where hosts share some, so that a running
    // program of many hosts holds no H×H figures; empty: each its own.
    std::vector<int> row_of;
    double error = 0;  // median relative error of the fits
    // Processor time per message, of all hosts together, where they share processors as emulated
    // hosts do, and each rank sends a message when it has received one. 0: each has its own.
    Seconds shared_gap = 0;
    std::vector<Medium> media;  // clusters without one have a switch
    bool assumed = false;  // derived from pairwise times, not measured: says nothing of sharing
    bool operator==(const Model&) const = default;

    // Of a message between two hosts, without overheads.
    Cost transfer(int from, int to) const {
        const auto row = static_cast<std::size_t>(row_in_tables(from)),
                   column = static_cast<std::size_t>(row_in_tables(to));
        return {fixed[row][column], per_byte[row][column]};
    }
    // False where there were too many clusters for a running program (coarse).
    bool knows_transfers() const { return !fixed.empty(); }

private:
    int row_in_tables(int host) const {
        return row_of.empty() ? host : row_of[static_cast<std::size_t>(host)];
    }
};

// The line through times over x whose relative errors are least; both parts at least 0.
Cost fit_line(const std::vector<double>& x, const std::vector<Seconds>& times);

nlohmann::json media_json(const std::vector<Medium>& media);
std::vector<Medium> read_media(const nlohmann::json& root, const Levels& levels,
                               const std::string& origin);

// Without `transfer` where the model knows none.
nlohmann::json model_json(const Model& model, const Levels& levels);

// The same with one transfer for all pairs of two clusters, of the finest level that has few enough
// of them for a running program: what every rank of it holds and has been sent. Without transfers
// where no level has.
Model coarse(const Model& model, const Levels& levels);

// Without transfers where the text leaves them out. Throws Error{bad_input} with one sentence that
// begins with origin.
Model read_model(const nlohmann::json& root, std::size_t hosts, const Levels& levels,
                 const std::string& origin);

}  // namespace eco
