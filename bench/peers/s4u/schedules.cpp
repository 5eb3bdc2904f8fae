// SPDX-License-Identifier: BSD-3-Clause
// Random networks and schedules, each simulated by src/eco/simulate and again with SimGrid's S4U:
// one line per draw, the two times and their relative difference. Overheads, waits and the order of
// messages are done by actors here, the sharing of links by SimGrid's own solver.
//
//     schedules FIRST_SEED DRAWS MOST_HOSTS
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <simgrid/s4u.hpp>
#include <tuple>

#include "eco/base/at.h"
#include "eco/planners/choice_text.h"
#include "eco/selection/candidates.h"
#include "eco/simulate/simulate.h"
#include "eco/topology/build_hierarchy.h"

namespace sg = simgrid::s4u;

namespace {

using eco::at;
using Random = std::mt19937;

double between(Random& random, double least, double most) {
    return least + (most - least) * static_cast<double>(random() % 100001) / 100000;
}

struct Draw {
    eco::Network network;
    eco::Hierarchy hierarchy;
    std::vector<int> host_of;
    eco::Operation operation{};
    eco::Choice choice;
    eco::Bytes bytes = 0;
    std::vector<eco::Program> programs;
};

// Up to four subnets, buses and switches, most of them with an uplink.
eco::Network draw_network(int hosts, const std::vector<int>& subnet, Random& random) {
    std::vector<std::string> names;
    std::vector<double> ports;
    for (int host = 0; host < hosts; ++host) {
        names.push_back("n" + std::to_string(host));
        ports.push_back(between(random, 1e6, 2e7));
    }
    std::vector<eco::Medium> media;
    for (int id = 0; id < 4; ++id)
        if (std::count(subnet.begin(), subnet.end(), id) > 1)
            media.push_back(
                {0, id, random() % 2 ? eco::Medium::Kind::bus : eco::Medium::Kind::switched,
                 between(random, 1e6, 1e7), random() % 4 ? between(random, 1e6, 1e7) : 0});
    eco::Network network = eco::assemble_network(names, {subnet}, media, ports);
    network.frame = {1448, 98, 66};
    network.ordered = random() % 2 == 0;
    for (int a = 0; a < hosts; ++a) {
        network.send[at(a)] = {between(random, 1e-6, 1e-3), 1e-9};
        network.receive[at(a)] = {between(random, 1e-6, 1e-3), 1e-9};
        for (int b = 0; b < hosts; ++b) {
            if (a == b) continue;
            network.fixed[at(a)][at(b)] = between(random, 1e-5, 1e-2);
            if (random() % 5 == 0) network.cap[at(a)][at(b)] = between(random, 1e6, 1e7);
        }
    }
    return network;
}

Draw draw_schedule(unsigned seed, int most_hosts) {
    Random random(seed);
    Draw draw;
    const int hosts = 2 + static_cast<int>(random() % static_cast<unsigned>(most_hosts - 1));
    std::vector<int> subnet;
    for (int host = 0; host < hosts; ++host) subnet.push_back(static_cast<int>(random() % 4));
    draw.network = draw_network(hosts, subnet, random);
    eco::Profile profile;
    profile.hosts = draw.network.hosts;
    profile.levels = {subnet};
    for (int host = 0; host < hosts; ++host) {
        profile.ring.push_back(host);
        draw.host_of.push_back(host);
    }
    draw.hierarchy = eco::build_hierarchy(profile, draw.host_of);
    while (draw.programs.empty()) {
        draw.operation = static_cast<eco::Operation>(random() % eco::operation_count);
        draw.bytes = static_cast<eco::Bytes>(std::pow(10, between(random, 0, 5.5)));
        const eco::Request request{draw.operation, &draw.hierarchy,
                                   static_cast<eco::Rank>(random() % at(hosts)), true};
        const auto list = eco::candidates(request, draw.bytes);
        draw.choice = list[random() % list.size()];
        if (!eco::can_simulate(draw.choice)) continue;
        for (int rank = 0; rank < hosts; ++rank)
            draw.programs.push_back(eco::plan(draw.choice, request, rank));
    }
    return draw;
}

// Every link is one of SimGrid's; each pair has one more that takes its cap, with a tiny latency
// that is the same for all, because SimGrid shares by round trip times.
void build_platform(const eco::Network& network) {
    auto* zone = sg::create_full_zone("eco");
    std::vector<sg::Host*> hosts;
    std::vector<const sg::Link*> links;
    for (const auto& name : network.hosts) hosts.push_back(zone->create_host(name, 1e9));
    for (std::size_t link = 0; link < network.links.size(); ++link)
        links.push_back(zone->create_link("l" + std::to_string(link), network.links[link].rate)
                            ->set_latency(0.0)
                            ->seal());
    for (int a = 0; a < static_cast<int>(hosts.size()); ++a)
        for (int b = 0; b < static_cast<int>(hosts.size()); ++b) {
            if (a == b) continue;
            const double cap = network.cap[at(a)][at(b)];
            const auto* own = zone->create_link("p" + std::to_string(a) + "-" + std::to_string(b),
                                                cap > 0 ? cap : 1e15)
                                  ->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)
                                  ->set_latency(1e-9)
                                  ->seal();
            std::vector<sg::LinkInRoute> route{sg::LinkInRoute(own)};
            for (const int link : network.route(a, b)) route.emplace_back(links[at(link)]);
            zone->add_route(hosts[at(a)]->get_netpoint(), hosts[at(b)]->get_netpoint(), nullptr,
                            nullptr, route, false);
        }
    zone->seal();
}

class Replay {
public:
    explicit Replay(const Draw& draw)
        : draw_(draw),
          bytes_(eco::equal_chunks(draw.operation, draw.bytes, draw.hierarchy.ranks())),
          ranks_(draw.programs.size()) {}

    double run(sg::Engine& engine) {
        done_ = sg::Semaphore::create(0);
        for (int rank = 0; rank < count(); ++rank) prepare(rank);
        match();
        for (int rank = 0; rank < count(); ++rank)
            sg::Actor::create("rank", host(rank), [this, rank] { work(rank); })->daemonize();
        sg::Actor::create("start", host(0), [this] {
            // First all of them: from here on ranks work, and others become ready.
            std::vector<std::pair<int, int>> first;
            for (int rank = 0; rank < count(); ++rank)
                for (int t = 0; t < static_cast<int>(tasks(rank).size()); ++t)
                    if (ranks_[at(rank)].waits[at(t)] == 0) first.emplace_back(rank, t);
            for (const auto& [rank, task] : first) ready(rank, task);
            if (open_ > 0) done_->acquire();
        });
        engine.run();
        return end_;
    }

private:
    struct Job {
        int task;
        bool receive;
    };
    struct RankState {
        std::vector<int> waits;
        std::vector<std::vector<int>> followers;
        std::vector<char> arrived, taken;
        std::vector<std::pair<int, int>> partner;  // rank and task at the other end
        std::deque<Job> jobs;
        sg::SemaphorePtr some;
    };
    struct Stream {
        std::deque<int> tasks;  // of the sender
        bool running = false;
        double arrived = 0;
    };

    int count() const { return static_cast<int>(draw_.programs.size()); }
    const std::vector<eco::Task>& tasks(int rank) const { return draw_.programs[at(rank)].tasks; }
    sg::Host* host(int rank) const {
        return sg::Host::by_name(draw_.network.hosts[at(draw_.host_of[at(rank)])]);
    }
    eco::Bytes size(int rank, int task) const {
        const eco::Program& program = draw_.programs[at(rank)];
        eco::Bytes sum = 0;
        for (const auto chunk : program.chunks_of(program.tasks[at(task)]))
            sum += bytes_(chunk, program.segments);
        return sum;
    }

    void prepare(int rank) {
        RankState& mine = ranks_[at(rank)];
        const std::size_t length = tasks(rank).size();
        mine.waits.assign(length, 0);
        mine.followers.resize(length);
        mine.arrived.assign(length, 0);
        mine.taken.assign(length, 0);
        mine.partner.resize(length);
        mine.some = sg::Semaphore::create(0);
        open_ += length;
        for (std::size_t t = 0; t < length; ++t) {
            const eco::Task& task = tasks(rank)[t];
            const auto wait_for = [&](int wait) {
                mine.waits[t] += 1;
                mine.followers[at(wait)].push_back(static_cast<int>(t));
            };
            for (const auto wait : draw_.programs[at(rank)].waits_of(task)) wait_for(wait);
            if (eco::is_paced(task, size(rank, static_cast<int>(t)))) wait_for(task.pace);
        }
    }

    void match() {
        std::map<std::tuple<int, int, int>, int> receives;
        for (int rank = 0; rank < count(); ++rank)
            for (int t = 0; t < static_cast<int>(tasks(rank).size()); ++t) {
                const eco::Task& task = tasks(rank)[at(t)];
                if (task.kind == eco::Kind::recv || task.kind == eco::Kind::reduce)
                    receives[{task.peer, rank, task.tag}] = t;
            }
        for (int rank = 0; rank < count(); ++rank)
            for (int t = 0; t < static_cast<int>(tasks(rank).size()); ++t) {
                const eco::Task& task = tasks(rank)[at(t)];
                if (task.kind == eco::Kind::send)
                    ranks_[at(rank)].partner[at(t)] = {task.peer,
                                                       receives.at({rank, task.peer, task.tag})};
            }
    }

    void ready(int rank, int task) {
        const eco::Kind kind = tasks(rank)[at(task)].kind;
        const RankState& mine = ranks_[at(rank)];
        if (kind == eco::Kind::recv) {
            if (mine.arrived[at(task)]) add(rank, {task, true});
        } else if (kind == eco::Kind::reduce) {
            if (mine.taken[at(task)]) end(rank, task);
        } else {
            add(rank, {task, false});
        }
    }

    void add(int rank, Job job) {
        ranks_[at(rank)].jobs.push_back(job);
        ranks_[at(rank)].some->release();
    }

    void work(int rank) {
        RankState& mine = ranks_[at(rank)];
        const int number = draw_.host_of[at(rank)];
        while (true) {
            mine.some->acquire();
            const Job job = mine.jobs.front();
            mine.jobs.pop_front();
            const eco::Kind kind = tasks(rank)[at(job.task)].kind;
            const eco::Bytes bytes = size(rank, job.task);
            if (job.receive)
                sg::this_actor::sleep_for(draw_.network.receive[at(number)].of(bytes));
            else if (kind == eco::Kind::send)
                sg::this_actor::sleep_for(draw_.network.send[at(number)].of(bytes));
            if (!job.receive && kind == eco::Kind::send) {
                post(rank, job.task);
            } else if (job.receive && kind == eco::Kind::reduce) {
                mine.taken[at(job.task)] = 1;
                if (mine.waits[at(job.task)] == 0) end(rank, job.task);
            } else {
                end(rank, job.task);
            }
        }
    }

    void post(int rank, int task) {
        const int to = tasks(rank)[at(task)].peer;
        if (!draw_.network.ordered) {
            sg::Actor::create("message", host(rank), [=, this] { move(rank, task, to); });
            return;
        }
        Stream& stream = streams_[{rank, to}];
        stream.tasks.push_back(task);
        if (stream.running) return;
        stream.running = true;
        sg::Actor::create("stream", host(rank), [this, rank, to, &stream] {
            while (!stream.tasks.empty()) {
                const int next = stream.tasks.front();
                stream.tasks.pop_front();
                move(rank, next, to);
            }
            stream.running = false;
        });
    }

    void move(int rank, int task, int to) {
        const eco::Bytes bytes = size(rank, task);
        const auto wire = static_cast<std::uint64_t>(draw_.network.wire(bytes));
        const int a = draw_.host_of[at(rank)], b = draw_.host_of[at(to)];
        const std::vector<int> route = draw_.network.route(a, b);
        if (draw_.network.ordered && bytes <= draw_.network.frame.payload && !route.empty()) {
            const double start = std::max(sg::Engine::get_clock(), free_[a]);
            free_[a] =
                start + static_cast<double>(wire) / draw_.network.links[at(route.front())].rate;
            if (start > sg::Engine::get_clock() + 1e-9) sg::this_actor::sleep_until(start);
        }
        sg::Comm::sendto(host(rank), host(to), wire);
        double when = sg::Engine::get_clock() + draw_.network.delay(a, b, route, bytes);
        Stream& stream = streams_[{rank, to}];
        if (draw_.network.ordered) when = std::max(when, stream.arrived);
        stream.arrived = when;
        sg::Actor::create("arrival", host(to), [=, this] {
            sg::this_actor::sleep_until(when);
            const auto [receiver, receive] = ranks_[at(rank)].partner[at(task)];
            RankState& theirs = ranks_[at(receiver)];
            theirs.arrived[at(receive)] = 1;
            if (tasks(receiver)[at(receive)].kind == eco::Kind::reduce ||
                theirs.waits[at(receive)] == 0)
                add(receiver, {receive, true});
        });
        end(rank, task);
    }

    void end(int rank, int task) {
        end_ = sg::Engine::get_clock();
        if (--open_ == 0) done_->release();
        for (const int follower : ranks_[at(rank)].followers[at(task)])
            if (--ranks_[at(rank)].waits[at(follower)] == 0) ready(rank, follower);
    }

    const Draw& draw_;
    eco::ChunkBytes bytes_;
    std::vector<RankState> ranks_;
    std::map<std::pair<int, int>, Stream> streams_;
    std::map<int, double> free_;  // per host, when its port has taken the single frames so far
    std::size_t open_ = 0;
    sg::SemaphorePtr done_;
    double end_ = 0;
};

double with_simgrid(const Draw& draw) {
    int count = 2;
    char name[] = "schedules";
    char quiet[] = "--log=xbt_cfg.threshold:warning";
    char* words[] = {name, quiet, nullptr};
    sg::Engine engine(&count, words);
    for (const char* setting :
         {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
          "network/weight-S:0", "network/latency-factor:1", "network/bandwidth-factor:1",
          "surf/precision:1e-9", "maxmin/precision:1e-9", "maxmin/concurrency-limit:-1"})
        sg::Engine::set_config(setting);
    build_platform(draw.network);
    return Replay(draw).run(engine);
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) {
        std::fprintf(stderr, "schedules FIRST_SEED DRAWS MOST_HOSTS\n");
        return 2;
    }
    const auto first = static_cast<unsigned>(std::atoi(words[1]));
    const auto draws = static_cast<unsigned>(std::atoi(words[2]));
    for (unsigned seed = first; seed < first + draws; ++seed) {
        const Draw draw = draw_schedule(seed, std::atoi(words[3]));
        const eco::Timeline timeline =
            eco::simulate(draw.network, draw.host_of, draw.programs,
                          eco::equal_chunks(draw.operation, draw.bytes, draw.hierarchy.ranks()));
        std::fflush(stdout);
        // SimGrid's engine runs once in a process.
        const pid_t child = fork();
        if (child == 0) {
            const double other = with_simgrid(draw);
            std::printf("%u %zu %s %s %ld %d %.9g %.9g %.3g\n", seed, draw.host_of.size(),
                        std::string(eco::traits(draw.operation).name).c_str(),
                        eco::to_text(draw.choice).c_str(), static_cast<long>(draw.bytes),
                        draw.network.ordered, timeline.time, other, timeline.time / other - 1);
            std::fflush(stdout);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) {
            std::fprintf(stderr, "seed %u: SimGrid failed\n", seed);
            return 1;
        }
    }
}
