// Times of planning, without MPI: per operation the worst over all candidates of what one rank
// takes to plan its program, what choosing takes that is not cached, and what it takes to simulate
// 4,032 messages of 64 ranks. Prints one JSON line.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "eco/plan/choose.h"
#include "eco/simulate/simulate.h"

using namespace eco;

namespace {

using Clock = std::chrono::steady_clock;

template <typename Work>
double seconds(const Work& work) {
    double least = 1e9;
    for (int times = 0; times < 3; ++times) {
        const auto start = Clock::now();
        work();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return least;
}

// Sites of clusters of hosts with one rank each; ranks go round the hosts, so that none are near.
std::string grid(int sites, int clusters, int hosts) {
    std::string text;
    const int ranks = sites * clusters * hosts;
    int place = 0;
    for (int site = 0; site < sites; ++site) {
        text += "(";
        for (int cluster = 0; cluster < clusters; ++cluster) {
            text += "(";
            for (int host = 0; host < hosts; ++host, ++place)
                text +=
                    std::to_string(place % clusters * (ranks / clusters) + place / clusters) + " ";
            text += ") ";
        }
        text += ") ";
    }
    return text;
}

void print_plans(const Hierarchy& hierarchy, const char* name, bool only_trees) {
    std::printf("\"%s\": {", name);
    bool first = true;
    for (int number = 0; number < operation_count; ++number) {
        const auto operation = static_cast<Operation>(number);
        const Request request{operation, &hierarchy, 1};
        double worst = 0;
        std::string slowest;
        for (const Bytes bytes : {Bytes{16}, Bytes{16384}, Bytes{262144}})
            for (const Choice& choice : candidates(request, bytes)) {
                if (only_trees && choice.family != Family::tree) continue;
                for (const Rank me : {0, 1, hierarchy.ranks() / 2, hierarchy.ranks() - 1}) {
                    const double took = seconds([&] { plan(choice, request, me); });
                    if (took <= worst) continue;
                    worst = took;
                    slowest = to_text(choice);
                }
            }
        if (slowest.empty()) continue;
        std::printf("%s\"%s\": [%.6g, \"%s\"]", first ? "" : ", ",
                    std::string(traits(operation).name).c_str(), worst, slowest.c_str());
        first = false;
    }
    std::printf("}, ");
}

// Every rank a message to every other, planned already; the hosts are on eight subnets, buses and
// switches in turn, with uplinks that they share. The longest over single frames and long messages.
double simulating() {
    constexpr int ranks = 64, subnets = 8;
    std::vector<std::string> names;
    std::vector<int> subnet_of, host_of;
    std::vector<Medium> media;
    std::string text;
    for (int host = 0; host < ranks; ++host) {
        names.push_back("n" + std::to_string(host));
        subnet_of.push_back(host / (ranks / subnets));
        host_of.push_back(host);
        text += (host % (ranks / subnets) ? " " : host ? ") (" : "(") + std::to_string(host);
    }
    for (int subnet = 0; subnet < subnets; ++subnet)
        media.push_back(
            {0, subnet, subnet % 2 ? Medium::Kind::switched : Medium::Kind::bus, 12.5e6, 12.5e6});
    const Network network =
        assemble_network(names, {subnet_of}, media, std::vector<double>(ranks, 12.5e6));
    const Hierarchy hierarchy = parse_hierarchy(text + ")");
    const Request request{Operation::alltoall, &hierarchy};
    Choice direct;
    direct.family = Family::direct;
    std::vector<Program> programs;
    for (Rank rank = 0; rank < ranks; ++rank) programs.push_back(plan(direct, request, rank));
    double longest = 0;
    for (const Bytes bytes : {Bytes{1000}, Bytes{65536}})
        longest = std::max(longest, seconds([&] {
                               simulate(network, host_of, programs,
                                        equal_pieces(Operation::alltoall, bytes, ranks));
                           }));
    return longest;
}

}  // namespace

int main() {
    const Hierarchy some = parse_hierarchy(grid(2, 4, 8)), many = parse_hierarchy(grid(2, 8, 64));
    std::printf("{");
    print_plans(some, "64", false);
    print_plans(many, "1024", true);
    Profile profile;
    profile.hosts = {"a", "b", "c", "d"};
    profile.levels = {{0, 0, 1, 1}};
    profile.ring = {0, 1, 2, 3};
    for (const char* operation : {"bcast", "allgather", "allreduce", "alltoall"})
        for (const Bytes bytes : {16, 1024, 16384, 131072})
            profile.tuning.push_back(
                {"openmpi 5", operation, "near", bytes, "k2", 2, 1, 0, 1, false});
    Settings settings;
    const Chooser chooser(profile, settings, "openmpi 5");
    const Request request{Operation::bcast, &many};
    const double choose = seconds([&] { chooser.choose(request, 16000); });
    // As interpose keeps choices and programs.
    std::map<std::pair<Operation, Bytes>, Choice> cache;
    for (const Operation operation : {Operation::bcast, Operation::allreduce})
        for (Bytes bytes = 1; bytes < 1 << 20; bytes *= 2) cache[{operation, bytes}] = {};
    double sum = 0;
    constexpr int times = 100000;
    const double cached = seconds([&] {
        for (int i = 0; i < times; ++i)
            sum += static_cast<double>(cache.find({Operation::bcast, 1 << i % 20})->second.window);
    });
    std::printf("\"choose\": %.3g, \"cached\": %.3g, \"simulate\": %.3g}\n", choose,
                cached / times + 0 * sum, simulating());
    return 0;
}
