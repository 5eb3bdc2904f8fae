// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/check_collectives.h"

#include <numeric>
#include <set>
#include <vector>

#include "eco/measure/bench.h"
#include "eco/measure/protocol.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

namespace {

// Each 16 times the one before.
constexpr Bytes block_sizes[] = {64, 1024, 16384};
constexpr int least_runs = 3, most_runs = 5;
// More than this in one message says nothing new, and takes long.
constexpr Bytes longest = 131072;

struct Call {
    Operation operation;
    Bytes bytes;
    bool operator<(const Call& other) const {
        return std::pair(operation, bytes) < std::pair(other.operation, other.bytes);
    }
};

// In the order of their bytes in all.
std::vector<Call> calls(int ranks) {
    std::vector<Call> found;
    std::set<Call> known;
    const auto add = [&](Operation operation, Bytes bytes) {
        if (bytes <= longest && known.insert({operation, bytes}).second)
            found.push_back({operation, bytes});
    };
    for (const Bytes bytes : block_sizes) {
        for (const Operation operation :
             {Operation::bcast, Operation::reduce, Operation::allreduce, Operation::gather,
              Operation::allgather, Operation::scatter})
            add(operation, bytes);
        add(Operation::bcast, bytes * ranks);  // beside an allgather or a scatter
    }
    return found;
}

}  // namespace

nlohmann::json time_collectives(Seconds most) {
    const MPI_Comm comm = ordered_world("launched");
    Start start(comm);
    nlohmann::json found = nlohmann::json::array();
    int ranks = 0;
    check_mpi(native().Comm_size(comm, &ranks));
    Seconds spent = 0;  // the same on all ranks
    for (const Call& call : calls(ranks)) {
        if (spent > most) break;
        Trial trial(call.operation, call.bytes, comm);
        std::vector<Sampled> patterns{{"native", {}, {}}};
        interleave(trial, patterns, start, {0, 0, least_runs, most_runs, most_runs, true});
        const auto& samples = patterns.front().samples;
        // With the first run, which is not counted.
        spent += std::accumulate(samples.begin(), samples.end(), 0.0) *
                 (1 + 1 / static_cast<double>(samples.size()));
        found.push_back({{"operation", std::string(traits(call.operation).name)},
                         {"bytes", call.bytes},
                         {"samples", samples}});
    }
    return found;
}

}  // namespace eco
