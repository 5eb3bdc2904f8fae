// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/check_uplinks.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/job/share.h"
#include "eco/measure/capacity_rounds.h"
#include "eco/measure/messages.h"
#include "eco/measure/model_timer.h"
#include "eco/mpi/gather_all.h"
#include "eco/survey/shared_clusters.h"
#include "eco/topology/media.h"

namespace eco {

namespace {

// Listens first, so that what others send does not count as less room.
constexpr Seconds listening_first = 0.25;
// Of what the profile says: where less is carried, a stream may have been disturbed, which never
// makes it more; so often the uplink is filled again.
constexpr double clearly_less = 0.85;
constexpr int most_again = 2;

// Per host the first rank there; -1: none.
std::vector<int> first_ranks(const Profile& profile) {
    const std::vector<std::string> names = gather_texts(native().comm_world, processor_name());
    std::vector<int> found;
    for (const std::string& host : profile.hosts) {
        const auto first = std::find(names.begin(), names.end(), host);
        found.push_back(first == names.end() ? -1 : static_cast<int>(first - names.begin()));
    }
    return found;
}

bool contains(const std::vector<int>& hosts, const std::vector<int>& others) {
    return std::includes(hosts.begin(), hosts.end(), others.begin(), others.end());
}

// Those whose uplink streams of all of their hosts found, each inside the next wider one.
SharedClusters with_uplinks(const Profile& profile) {
    SharedClusters found;
    if (!profile.model) return found;
    for (const Medium& medium : profile.model->media) {
        if (medium.level < 0 || medium.found_by != Medium::FoundBy::capacity ||
            (medium.uplink <= 0 && medium.into() <= 0))
            continue;
        const auto hosts = hosts_in(profile.levels[at(medium.level)], medium.cluster);
        // A cluster may be the same on several levels.
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const auto& each) { return each.hosts == hosts; });
        if (known || hosts.size() == profile.hosts.size()) continue;
        found.push_back({hosts, medium.uplink, medium.into(), -1});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.hosts.size() > b.hosts.size(); });
    for (std::size_t c = 0; c < found.size(); ++c)
        for (std::size_t w = 0; w < c; ++w)
            if (contains(found[w].hosts, found[c].hosts)) found[c].wider = static_cast<int>(w);
    return found;
}

}  // namespace

nlohmann::json check_uplinks(const Profile& profile, Progress& progress) {
    const std::vector<int> leader = first_ranks(profile);
    for (std::size_t host = 0; host < leader.size(); ++host)
        if (leader[host] < 0)
            throw Error(Code::launch, "host " + profile.hosts[host] +
                                          " of the profile is not in this launch: uplinks are "
                                          "checked with all hosts that were measured");
    const SharedClusters clusters = with_uplinks(profile);
    const WorkerPool workers;
    if (workers.rank() != 0) {
        workers.worker_loop();
        return {};
    }
    const ModelTimer timer(profile, leader, workers);
    std::vector<int> hosts(leader.size());
    std::iota(hosts.begin(), hosts.end(), 0);
    progress.update(0, "listening to others' traffic");
    const auto heard = timer.listen(listening_first);
    CapacityRounds rounds(timer, heard);
    std::mt19937 random(1);
    auto found = nlohmann::json::array();
    for (int c = 0; at(c) < clusters.size(); ++c) {
        progress.update(static_cast<double>(c) / static_cast<double>(clusters.size()),
                        "streams of many hosts at once");
        const auto streams = clusters[at(c)].wider < 0 ? streams_of_whole : streams_of_part;
        const auto once = [&](bool out) {
            std::vector<Flow> flows;
            for (const StreamRate& each : streams(clusters, c, hosts, out, random))
                flows.push_back({each.from, each.to});
            const auto rates = rounds.rates(flows, CapacityRounds::Kind::exact);
            return std::accumulate(rates.begin(), rates.end(), 0.0);
        };
        const auto carried = [&](bool out) {
            const double known = out ? clusters[at(c)].out : clusters[at(c)].in;
            double most = once(out);
            for (int again = 0; again < most_again && most < clearly_less * known; ++again)
                most = std::max(most, once(out));
            return most;
        };
        // The first round's streams do not know yet how fast they are.
        if (c == 0) once(true);
        const double out = carried(true), in = carried(false);
        found.push_back({{"hosts", clusters[at(c)].hosts}, {"out", out}, {"in", in}});
    }
    workers.dismiss();
    progress.update(1.0, "done");
    return {{"uplinks", found}};
}

}  // namespace eco
