// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/programs.h"

#include <algorithm>

namespace eco::multicast {

namespace {

struct Receive {
    Seconds arrival;
    std::int32_t task;
};

// Of those that arrive by then the pace-th last; -1 where there are fewer.
std::int32_t to_wait_for(const std::vector<Receive>& receives, Seconds then, std::size_t pace) {
    std::vector<Receive> due;
    std::copy_if(receives.begin(), receives.end(), std::back_inserter(due),
                 [then](const Receive& one) { return one.arrival <= then; });
    if (pace == 0 || due.size() < pace) return -1;
    const auto place = due.end() - static_cast<std::ptrdiff_t>(pace);
    std::nth_element(due.begin(), place, due.end(), [](const Receive& a, const Receive& b) {
        return a.arrival != b.arrival ? a.arrival < b.arrival : a.task < b.task;
    });
    return place->task;
}

}  // namespace

std::vector<Program> programs(int ranks, const std::vector<Message>& messages,
                              const std::vector<Hop>& hops, int segments, int pace) {
    std::vector<Builder> builders(static_cast<std::size_t>(ranks), Builder(segments, false));
    std::vector<std::vector<Receive>> receives(static_cast<std::size_t>(ranks));
    for (const Hop& hop : hops) {
        const Chunk chunk[1] = {hop.message * segments + hop.segment};
        const auto from = static_cast<std::size_t>(hop.from), to = static_cast<std::size_t>(hop.to);
        const bool own = messages[static_cast<std::size_t>(hop.message)].source == hop.from;
        const auto task = to_wait_for(receives[from], hop.start, static_cast<std::size_t>(pace));
        if (task >= 0) builders[from].wait_also_for(task);
        builders[from].send(hop.to, own ? input : output, chunk);
        builders[to].recv(hop.from, output, chunk);
        receives[to].push_back({hop.arrival, builders[to].last_task()});
    }
    std::vector<Program> list;
    for (Builder& builder : builders) list.push_back(builder.finish());
    return list;
}

}  // namespace eco::multicast
