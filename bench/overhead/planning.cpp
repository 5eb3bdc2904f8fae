// SPDX-License-Identifier: BSD-3-Clause
// Times of planning, without MPI: per operation the worst over all candidates of what one rank
// takes to plan its program, what choosing takes that is not cached, and what it takes to simulate
// 4,032 messages of 64 ranks; with --multicasts also what it takes at most to plan several
// multicasts; and what a job of 1,024 ranks on as many hosts shares at its start,
// what of it each rank holds, and what its first calls take. Prints one JSON line.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "eco/planners/choice_text.h"
#include "eco/run/execution.h"
#include "eco/selection/candidates.h"
#include "eco/selection/choose.h"
#include "eco/simulate/multicast_plan.h"
#include "eco/simulate/simulate.h"
#include "eco/topology/build_hierarchy.h"
#include "eco/topology/build_network.h"
#include "eco/topology/placement.h"
#include "eco/topology/runtime.h"

namespace {

std::size_t held = 0, most_held = 0;  // bytes from new

void* take(std::size_t bytes) {
    void* memory = std::malloc(bytes ? bytes : 1);
    if (!memory) throw std::bad_alloc();
    held += malloc_usable_size(memory);
    most_held = std::max(most_held, held);
    return memory;
}

void leave(void* memory) {
    if (memory) held -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes); }
void operator delete(void* memory) noexcept { leave(memory); }
void operator delete(void* memory, std::size_t) noexcept { leave(memory); }

using namespace eco;

namespace {

using Clock = std::chrono::steady_clock;

template <typename Work>
double seconds(const Work& work, int tries = 3) {
    double least = 1e9;
    for (int times = 0; times < tries; ++times) {
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

void print_plans(const Hierarchy& hierarchy, const char* name) {
    std::printf("\"%s\": {", name);
    bool first = true;
    for (int number = 0; number < operation_count; ++number) {
        const auto operation = static_cast<Operation>(number);
        const Request request{operation, &hierarchy, 1};
        double worst = 0;
        std::string slowest;
        for (const Bytes bytes : {Bytes{16}, Bytes{16384}, Bytes{262144}})
            for (const Choice& choice : candidates(request, bytes)) {
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
    const Choice direct(Family::direct);
    std::vector<Program> programs;
    for (Rank rank = 0; rank < ranks; ++rank) programs.push_back(plan(direct, request, rank));
    double longest = 0;
    for (const Bytes bytes : {Bytes{1000}, Bytes{65536}})
        longest = std::max(longest, seconds([&] {
                               simulate(network, host_of, programs,
                                        equal_chunks(Operation::alltoall, bytes, ranks));
                           }));
    return longest;
}

// A random graph's messages on subnets as above: so many from each of some ranks, to others.
double planning_multicasts(int ranks, int sources, int degree) {
    constexpr int subnets = 8;
    std::vector<std::string> names;
    std::vector<int> subnet_of, host_of;
    std::vector<Medium> media;
    for (int host = 0; host < ranks; ++host) {
        names.push_back("n" + std::to_string(host));
        subnet_of.push_back(host / (ranks / subnets));
        host_of.push_back(host);
    }
    for (int subnet = 0; subnet < subnets; ++subnet)
        media.push_back(
            {0, subnet, subnet % 2 ? Medium::Kind::switched : Medium::Kind::bus, 12.5e6, 12.5e6});
    const Network network =
        assemble_network(names, {subnet_of}, media, std::vector<double>(host_of.size(), 12.5e6));
    std::mt19937 random(1);
    double longest = 0;
    for (const Bytes bytes : {Bytes{1000}, Bytes{65536}, Bytes{1000000}}) {
        std::vector<Multicast> messages;
        for (int number = 0; number < sources; ++number) {
            const Rank source = number * (ranks / sources);
            std::vector<Rank> to;
            for (const Rank rank : host_of)
                if (rank != source) to.push_back(rank);
            std::shuffle(to.begin(), to.end(), random);
            to.resize(static_cast<std::size_t>(degree));
            std::sort(to.begin(), to.end());
            messages.push_back({source, bytes, to});
        }
        longest =
            std::max(longest, seconds([&] { plan_multicasts(network, host_of, messages); }, 1));
    }
    return longest;
}

// Of 4,096 deliveries at most, and of as many as are planned most thoroughly.
double planning_multicasts(int ranks) {
    double longest = 0;
    for (const int deliveries : {1024, 4096})
        for (const int sources : {1, 4, 16, ranks})
            if (const int degree = std::min(deliveries / sources, ranks - 1); degree > 0)
                longest = std::max(longest, planning_multicasts(ranks, sources, degree));
    return longest;
}

// Four sites of eight subnets of 32 hosts with a rank each, measured and predicted for as a network
// of theirs would be.
Profile thousand_hosts() {
    constexpr int hosts = 1024, subnet_size = 32, site_size = 256;
    Profile profile;
    profile.levels.resize(2);
    Model& model = profile.model.emplace();
    model.fixed.resize(hosts);
    model.per_byte.resize(hosts);
    for (int host = 0; host < hosts; ++host) {
        profile.hosts.push_back("node" + std::to_string(host));
        profile.levels[0].push_back(host / site_size);
        profile.levels[1].push_back(host / subnet_size);
        profile.ring.push_back(host);
        model.send.push_back({1e-5 + 1e-8 * host, 1e-10});
        model.receive.push_back({1e-5 + 2e-8 * host, 2e-10});
        for (int other = 0; other < hosts; ++other) {
            const bool near = host / subnet_size == other / subnet_size,
                       site = host / site_size == other / site_size;
            model.fixed[static_cast<std::size_t>(host)].push_back(near ? 5e-5 : site ? 2e-4 : 1e-2);
            model.per_byte[static_cast<std::size_t>(host)].push_back(near ? 1e-9 : 1e-8);
        }
    }
    for (int subnet = 0; subnet < hosts / subnet_size; ++subnet)
        model.media.push_back({1, subnet, Medium::Kind::switched, 1.2e9, 1.2e9});
    std::vector<int> host_of;
    for (int host = 0; host < hosts; ++host) host_of.push_back(host);
    const Hierarchy hierarchy = build_hierarchy(profile, host_of);
    for (int number = 0; number < operation_count; ++number) {
        const auto operation = static_cast<Operation>(number);
        for (const char* layout : {"near", "scattered"})
            for (const Bytes bytes : {16, 256, 1024, 16000, 65536, 262144}) {
                const auto list = candidates({operation, &hierarchy}, bytes);
                if (list.empty()) continue;
                const std::string name(traits(operation).name);
                const auto& choice = list[static_cast<std::size_t>(bytes) % list.size()];
                profile.tuning.push_back(
                    {any_library, name, layout, bytes, to_text(choice), 2, 1, 0, 1, true});
            }
    }
    return profile;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void print_start() {
    std::vector<int> host_of;
    nlohmann::json::binary_t shared;
    {
        const Profile profile = thousand_hosts();
        for (int host = 0; host < 1024; ++host) host_of.push_back(host * 33 % 1024);
        const nlohmann::json root{{"host_of", host_of},
                                  {"profile", runtime_json(part_for_job(profile, host_of))}};
        const auto text = nlohmann::json::to_cbor(root);
        shared.assign(text.begin(), text.end());
    }
    const std::size_t before = held;
    most_held = held;
    double start = processor_seconds();
    const Profile profile = parse_runtime(nlohmann::json::from_cbor(shared).at("profile"));
    Settings settings;
    const Chooser chooser(profile, settings, "openmpi 5");
    const Hierarchy hierarchy = build_hierarchy(profile, host_of);
    const double session = processor_seconds() - start;
    const std::size_t at_start = held - before;
    std::printf("\"start_1024\": {\"shared\": %zu, \"session_s\": %.3g, \"first\": {",
                shared.size(), session);
    std::map<std::string, std::unique_ptr<Prepared>> programs;
    bool first = true;
    for (int number = 0; number < operation_count; ++number) {
        const auto operation = static_cast<Operation>(number);
        const Request request{operation, &hierarchy};
        double worst = 0;
        std::string slowest;
        for (const Bytes bytes : {Bytes{16}, Bytes{1024}, Bytes{16000}, Bytes{262144}})
            for (const Rank me : {0, 1, 511, 1023}) {
                start = processor_seconds();
                const Choice choice = chooser.choose(request, bytes);
                if (choice.is_native()) continue;
                auto prepared = std::make_unique<Prepared>(plan(choice, request, me));
                const double took = processor_seconds() - start;
                if (took > worst) {
                    worst = took;
                    slowest = to_text(choice);
                }
                if (me == 511)
                    programs.emplace(slowest + std::to_string(number * 1000000 + bytes),
                                     std::move(prepared));
            }
        if (slowest.empty()) continue;
        std::printf("%s\"%s\": [%.6g, \"%s\"]", first ? "" : ", ",
                    std::string(traits(operation).name).c_str(), worst, slowest.c_str());
        first = false;
    }
    const std::size_t with_programs = held - before;
    start = processor_seconds();
    const Network network = build_network(profile);
    const LinksBetween links(shared_links(profile), host_of);
    std::printf(
        "}, \"network_s\": %.3g, \"held_at_start\": %zu, \"held_with_programs\": %zu, "
        "\"held_with_network\": %zu, \"most_held\": %zu}, ",
        processor_seconds() - start, at_start, with_programs, held - before, most_held - before);
}

}  // namespace

int main(int argc, char** argv) {
    const bool with_multicasts = argc > 1 && std::string(argv[1]) == "--multicasts";
    const Hierarchy some = parse_hierarchy(grid(2, 4, 8)), many = parse_hierarchy(grid(2, 8, 64));
    std::printf("{");
    print_start();
    print_plans(some, "64");
    print_plans(many, "1024");
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
    // As job keeps choices and programs.
    std::map<std::pair<Operation, Bytes>, Choice> cache;
    for (const Operation operation : {Operation::bcast, Operation::allreduce})
        for (Bytes bytes = 1; bytes < 1 << 20; bytes *= 2) cache[{operation, bytes}] = {};
    double sum = 0;
    constexpr int times = 100000;
    const double cached = seconds([&] {
        for (int i = 0; i < times; ++i)
            sum += static_cast<double>(cache.find({Operation::bcast, 1 << i % 20})->second.window);
    });
    if (with_multicasts)
        std::printf("\"multicasts\": {\"64\": %.3g, \"256\": %.3g, \"1024\": %.3g}, ",
                    planning_multicasts(64), planning_multicasts(256), planning_multicasts(1024));
    std::printf("\"choose\": %.3g, \"cached\": %.3g, \"simulate\": %.3g}\n", choose,
                cached / times + 0 * sum, simulating());
    return 0;
}
