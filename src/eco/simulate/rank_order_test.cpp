// SPDX-License-Identifier: BSD-3-Clause
// Ranks in order, round-robin and shuffled over the hosts: what the best schedule takes must not
// depend on it (Karonis, section 4; on the networks of that paper's measurements and of MagPIe's).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "eco/planners/choice_text.h"
#include "eco/selection/candidates.h"
#include "eco/simulate/simulate.h"
#include "eco/topology/build_hierarchy.h"

namespace eco {

namespace {

struct Grid {
    Network network;
    Profile profile;
    int ranks_per_host;
};

// Hosts on switches of 100 Mbit/s; `delay` per pair of clusters of the finest level.
Grid make_grid(const Levels& levels, const std::vector<Medium>& media,
               const std::vector<std::vector<Seconds>>& delay, int ranks_per_host) {
    const auto& finest = levels.back();
    Grid grid;
    grid.ranks_per_host = ranks_per_host;
    for (std::size_t host = 0; host < finest.size(); ++host) {
        grid.profile.hosts.push_back("n" + std::to_string(host));
        grid.profile.ring.push_back(static_cast<int>(host));
    }
    grid.profile.levels = levels;
    grid.network = assemble_network(grid.profile.hosts, levels, media,
                                    std::vector<double>(finest.size(), 12.5e6));
    grid.network.frame = {1448, 98, 66};
    grid.network.send.assign(finest.size(), {1e-5, 2e-10});
    grid.network.receive.assign(finest.size(), {1e-5, 2e-10});
    for (std::size_t a = 0; a < finest.size(); ++a)
        for (std::size_t b = 0; b < finest.size(); ++b)
            grid.network.fixed[a][b] =
                delay[static_cast<std::size_t>(finest[a])][static_cast<std::size_t>(finest[b])];
    return grid;
}

// Two machines at one site 2 ms apart, one at another 30 ms away.
Grid grid_3() {
    const auto switched = Medium::Kind::switched;
    return make_grid({{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}},
                     {{1, 0, switched, 12.5e6, 5e6},
                      {1, 1, switched, 12.5e6, 5e6},
                      {1, 2, switched, 12.5e6, 0},
                      {0, 1, switched, 12.5e6, 1.25e6}},
                     {{5e-5, 2e-3, 31e-3}, {2e-3, 5e-5, 31e-3}, {31e-3, 31e-3, 5e-5}}, 2);
}

// Four clusters with 10 ms and 1 MB/s between any two.
Grid magpie() {
    std::vector<int> clusters;
    std::vector<Medium> media;
    for (int cluster = 0; cluster < 4; ++cluster) {
        clusters.insert(clusters.end(), 4, cluster);
        media.push_back({0, cluster, Medium::Kind::switched, 12.5e6, 1e6});
    }
    std::vector<std::vector<Seconds>> delay(4, std::vector<Seconds>(4, 10e-3));
    for (std::size_t cluster = 0; cluster < 4; ++cluster) delay[cluster][cluster] = 5e-5;
    return make_grid({clusters}, media, delay, 1);
}

// The host of each rank.
std::vector<int> in_order(const Grid& grid) {
    std::vector<int> host_of;
    for (int host = 0; host < static_cast<int>(grid.profile.hosts.size()); ++host)
        host_of.insert(host_of.end(), static_cast<std::size_t>(grid.ranks_per_host), host);
    return host_of;
}

std::vector<int> round_robin(const Grid& grid) {
    // Over clusters first, then over their hosts.
    const auto& finest = grid.profile.levels.back();
    std::vector<int> hosts;
    for (std::size_t turn = 0; hosts.size() < finest.size(); ++turn)
        for (std::size_t host = turn % 4; host < finest.size(); host += 4)
            hosts.push_back(static_cast<int>(host));
    std::vector<int> host_of;
    for (int rank = 0; rank < grid.ranks_per_host; ++rank)
        host_of.insert(host_of.end(), hosts.begin(), hosts.end());
    return host_of;
}

std::vector<int> shuffled(const Grid& grid, unsigned seed) {
    auto host_of = in_order(grid);
    std::mt19937 random(seed);
    std::shuffle(host_of.begin(), host_of.end(), random);
    return host_of;
}

struct Best {
    Seconds time;
    std::string choice;
};

// Of all candidates; the root on the first host.
Best best(const Grid& grid, const std::vector<int>& host_of, Operation operation, Bytes bytes) {
    const Hierarchy hierarchy = build_hierarchy(grid.profile, host_of);
    const auto root = std::find(host_of.begin(), host_of.end(), 0) - host_of.begin();
    const Request request{operation, &hierarchy, static_cast<Rank>(root), true};
    Best least{1e9, "none"};
    for (const Choice& choice : candidates(request, bytes)) {
        if (!can_simulate(choice)) continue;
        const Seconds time = simulate(grid.network, host_of, choice, request, bytes).time;
        if (time < least.time) least = {time, to_text(choice)};
    }
    return least;
}

// How many times as long as in rank order at most; 0: no limit. Scans know the order: out of it the
// sum of each run of a group's ranks goes over every link, and to and from the leader.
double limit(Operation operation, Bytes bytes) {
    if (operation != Operation::scan && operation != Operation::exscan) return 1.1;
    return bytes <= 16 ? 1.25 : 0;
}

}  // namespace

class RankOrder : public testing::TestWithParam<const char*> {};

TEST_P(RankOrder, DoesNotMatter) {
    const Grid grid = std::string(GetParam()) == "grid_3" ? grid_3() : magpie();
    for (int o = 0; o < operation_count; ++o) {
        const auto operation = static_cast<Operation>(o);
        if (base(operation) != operation) continue;
        for (const Bytes bytes : {Bytes{16}, Bytes{16384}}) {
            const double most = limit(operation, bytes);
            if (most <= 0) continue;
            const Best order = best(grid, in_order(grid), operation, bytes);
            for (const auto& [name, host_of] : {std::pair{"round-robin", round_robin(grid)},
                                                std::pair{"shuffled", shuffled(grid, 1)}}) {
                const Best other = best(grid, host_of, operation, bytes);
                const double ratio = other.time / order.time;
                EXPECT_TRUE(ratio < most && ratio > 1 / most)
                    << traits(operation).name << " of " << bytes << " bytes, " << name << ": "
                    << other.time << " s by " << other.choice << ", in order " << order.time
                    << " by " << order.choice;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Grids, RankOrder, testing::Values("grid_3", "magpie"));

// What sees contiguous ranks does depend on it, by far.
TEST(RankOrder, MattersToBaselinePatterns) {
    const Grid grid = magpie();
    const auto time = [&](const std::vector<int>& host_of) {
        const Hierarchy hierarchy = build_hierarchy(grid.profile, host_of);
        const Request request{Operation::bcast, &hierarchy, 0, true};
        return simulate(grid.network, host_of, parse_choice("binomial"), request, 16384).time;
    };
    EXPECT_GT(time(round_robin(grid)), 1.5 * time(in_order(grid)));
}

}  // namespace eco
