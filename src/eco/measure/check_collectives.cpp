// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/check_collectives.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "eco/base/at.h"
#include "eco/measure/bench.h"
#include "eco/measure/deadline.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

namespace {

// Each 16 times the one before.
constexpr Bytes block_sizes[] = {64, 1024, 16384};
constexpr int rounds = 3, runs = 2;
// Of the time for the calls themselves: common starts, and runs that did not start together, which
// take long where packets are lost.
constexpr double with_starts = 2;
// More than this in one message says nothing new, and takes long.
constexpr Bytes longest = 131072;

struct GuidelineCall {
    Operation operation;
    Bytes bytes;
    bool operator<(const GuidelineCall& other) const {
        return std::pair(operation, bytes) < std::pair(other.operation, other.bytes);
    }
};

// In the order of their bytes in all.
std::vector<GuidelineCall> calls(int ranks) {
    std::vector<GuidelineCall> found;
    std::set<GuidelineCall> known;
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

nlohmann::json time_collectives(Seconds most, double done, Progress& progress) {
    const MPI_Comm comm = ordered_world("launched");
    Start start(comm);
    int ranks = 0;
    check_mpi(native().Comm_size(comm, &ranks));
    const auto due = calls(ranks);
    std::vector<std::vector<Sampled>> timed;
    Seconds spent = 0;  // the same on all ranks
    const Deadline deadline(Deadline::Clock::now() +
                            std::chrono::duration_cast<Deadline::Clock::duration>(
                                std::chrono::duration<double>(with_starts * most)));
    // What disturbs for a while must not fall on all runs of one call.
    for (int round = 0; round < rounds && spent < most; ++round)
        for (std::size_t n = 0; n < due.size() && (round > 0 ? n < timed.size() : spent < most);
             ++n) {
            if (deadline.left() <= 0) {
                spent = most;
                break;
            }
            if (round == 0) timed.push_back({{"native", {}, {}}});
            auto& samples = timed[n].front().samples;
            const auto before = static_cast<std::ptrdiff_t>(samples.size());
            const double part = std::max({spent / most, 1 - deadline.left() / (with_starts * most),
                                          static_cast<double>(at(round) * due.size() + n) /
                                              static_cast<double>(rounds * due.size())});
            // Later rounds are finished, though the time is over.
            progress.update(done + (0.99 - done) * std::min(part, 1.0),
                            std::string(traits(due[n].operation).name) + " " +
                                std::to_string(due[n].bytes) + " B");
            Trial trial(due[n].operation, due[n].bytes, comm);
            interleave(trial, timed[n], start, {0, 0, runs, runs, runs, true}, round == 0);
            const Seconds took = std::accumulate(samples.begin() + before, samples.end(), 0.0);
            // With the first run, which is not counted.
            spent += round == 0 ? took * (1 + 1.0 / runs) : took;
        }
    nlohmann::json found = nlohmann::json::array();
    for (std::size_t n = 0; n < timed.size(); ++n)
        found.push_back({{"operation", std::string(traits(due[n].operation).name)},
                         {"bytes", due[n].bytes},
                         {"samples", timed[n].front().samples}});
    return found;
}

}  // namespace eco
