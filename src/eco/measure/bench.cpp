// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "eco/base/error.h"
#include "eco/measure/protocol.h"
#include "eco/measure/quiet_time.h"
#include "eco/measure/rank_order.h"
#include "eco/measure/since.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/planners/choice_text.h"

namespace eco {

using Clock = std::chrono::steady_clock;

// The same on all ranks.
static std::vector<std::size_t> shuffled(std::size_t count, int seed) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(static_cast<unsigned>(seed));
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    return order;
}

// Sleeps for so long, and lets the library go on now and then with what it has still to send.
static void keep_quiet(Seconds time, MPI_Comm comm) {
    constexpr Seconds longest_nap = 1e-3;
    const auto began = Clock::now();
    Seconds nap = 100e-6;
    for (Seconds left = time; left > 0; left = time - since(began)) {
        int there = 0;
        check_mpi(native().Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &there, MPI_STATUS_IGNORE));
        std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, nap)));
        nap = std::min(2 * nap, longest_nap);
    }
}

Seconds interleave(Trial& trial, std::vector<Sampled>& patterns, Start& start, const Effort& effort,
                   bool warm_up) {
    const int ranks = trial.communicator().size();
    const auto run_once = [&](const Sampled& pattern, Rank root, const Work& work, Seconds quiet) {
        const bool alone = pattern.is_library_alone();
        if (!alone) trial.use(pattern.choice);
        trial.prepare(alone, root);
        const auto began = start.together();
        trial.run(alone, root, work);
        const Seconds took = since(began);
        keep_quiet(quiet - took, start.comm());
        trial.finish();
        return took;
    };
    const auto run = [&](const Sampled& pattern, Rank root) {
        if (pattern.beside <= 0)
            return run_once(pattern, root, pattern.work, quiet_after(pattern.samples));
        const Seconds at_once = run_once(pattern, root, pattern.work, 0);
        return (at_once + run_once(pattern, root, {pattern.beside, 0}, 0) - pattern.beside) / 2;
    };
    const auto began = Clock::now();
    Seconds spent = 0, longest_round = 0, all = 0;
    const int before = static_cast<int>(patterns.front().samples.size());
    // Round 0 makes connections, communicators and plans, and is not counted.
    for (int round = warm_up ? 0 : 1, spoilt = 0; round <= effort.most; ++round) {
        // Of each pattern; then how long this round took, all so far, and the time that is left,
        // below zero.
        std::vector<Seconds> now(patterns.size() + 3);
        const auto round_began = Clock::now();
        // A call finds the network, its queues and TCP's windows as the one before left them, so
        // none may always follow the same one.
        const Rank root =
            effort.roots_apart ? root_apart(before + round, ranks) : (before + round) % ranks;
        for (const std::size_t p : shuffled(patterns.size(), before + round))
            now[p] = run(patterns[p], root);
        now[patterns.size()] = since(round_began);
        now[patterns.size() + 1] = since(began);
        if (effort.limit) now[patterns.size() + 2] = -effort.limit->own_left();
        now = start.greatest(std::move(now));
        longest_round = std::max(longest_round, now[patterns.size()]);
        all = now[patterns.size() + 1];
        if (effort.limit) effort.limit->agree(-now[patterns.size() + 2]);
        const bool over = effort.limit && effort.limit->left() < longest_round;
        now.resize(patterns.size());
        const Seconds least = *std::min_element(now.begin(), now.end());
        // Some rank began late, which would count as the call's time.
        if (round > 0 && !over && start.late() > 0.02 * least && ++spoilt <= 5) {
            --round;
            continue;
        }
        if (round > 0)
            for (std::size_t p = 0; p < patterns.size(); ++p) patterns[p].samples.push_back(now[p]);
        if (round > 0) spent += std::accumulate(now.begin(), now.end(), 0.0);
        // Of calls beside work each sample is two of them.
        if (round > 0 && patterns.front().beside > 0)
            for (std::size_t p = 0; p < patterns.size(); ++p) spent += now[p] + patterns[p].beside;
        if (round > 0 && over) break;
        if (round >= effort.least && spent > effort.budget) break;
        if (round >= effort.usual && spent > effort.quick) break;
    }
    return all;
}

static nlohmann::json summary(const Sampled& sampled) {
    auto sorted = sampled.samples;
    std::sort(sorted.begin(), sorted.end());
    const auto count = static_cast<double>(sorted.size());
    const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
    double squares = 0;
    for (const double sample : sorted) squares += (sample - mean) * (sample - mean);
    const auto quantile = [&](double q) {
        return sorted[static_cast<std::size_t>(q * (count - 1) + 0.5)];
    };
    return {{"pattern", sampled.pattern},
            {"choice", to_text(sampled.choice)},
            {"median", median(sorted)},
            {"minimum", sorted.front()},
            {"mean", mean},
            {"deviation", std::sqrt(squares / count)},
            {"q1", quantile(0.25)},
            {"q3", quantile(0.75)},
            {"samples", sampled.samples}};
}

// Per rank its host, as an index into the profile's.
static std::vector<int> hosts_of(const Communicator& communicator) {
    std::vector<int> hosts;
    for (Rank rank = 0; rank < communicator.size(); ++rank)
        hosts.push_back(communicator.host_of(rank));
    return hosts;
}

static Choice choice_of(const std::string& pattern, const Trial& trial) {
    if (pattern.starts_with("native")) return {};
    return pattern == "eco" ? trial.chosen() : parse_choice(pattern);
}

// Each pattern once more with work as long as it takes by itself, and how much of that time the
// work hides, as the OSU and Intel MPI benchmarks define it.
static void add_overlap(Trial& trial, const std::vector<Sampled>& sampled, Start& start,
                        const Effort& effort, nlohmann::json& rows) {
    constexpr Seconds between_tests = 100e-6;
    std::vector<Sampled> working;
    for (const Sampled& pure : sampled)
        for (const Seconds between : {between_tests, 0.0})
            working.push_back({pure.pattern, pure.choice, {}, {median(pure.samples), between}});
    interleave(trial, working, start, effort, false);
    for (const Sampled& each : working) {
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const nlohmann::json& one) {
            return one.at("pattern") == each.pattern;
        });
        const Seconds total = median(each.samples), pure = each.work.time;
        (*row)[each.work.between_tests > 0 ? "work_with_tests" : "work_without_calls"] = {
            {"total", total}, {"overlap", std::clamp(1 - (total - pure) / pure, 0.0, 1.0)}};
    }
}

void bench(const Options& options, Progress& progress) {
    const auto operations =
        options.operations.empty()
            ? std::vector{Operation::bcast, Operation::allgather, Operation::allreduce}
            : options.operations;
    const auto sizes = options.sizes.empty() ? std::vector<Bytes>{16, 16000} : options.sizes;
    const auto patterns = options.patterns.empty()
                              ? std::vector<std::string>{"native", "eco", "native-again"}
                              : options.patterns;
    const MPI_Comm comm = ordered_world(options.order);
    Start start(comm);
    double done = 0;
    for (const Operation operation : operations)
        for (const Bytes bytes : sizes) {
            const std::string name(traits(operation).name);
            const double share = 1.0 / static_cast<double>(operations.size() * sizes.size());
            progress.update(done, name + " " + std::to_string(bytes) + " B");
            done += share;
            if (operation == Operation::barrier && bytes != sizes.front()) continue;
            Trial trial(operation, bytes, comm, options.form);
            std::vector<Sampled> sampled;
            for (const auto& pattern : patterns) {
                const Choice choice = choice_of(pattern, trial);
                if (choice.is_native() || trial.supports(choice))
                    sampled.push_back({pattern, choice, {}, {}});
            }
            if (sampled.empty()) continue;
            const int ranks = trial.communicator().size();
            Effort effort{20.0, 1.0, 3, std::max(2 * ranks, 16), 16 * ranks};
            if (options.budget > 0) effort.budget = effort.quick = options.budget;
            if (options.repeats > 0) {
                effort.usual = effort.most = options.repeats;
                if (options.budget <= 0) effort.least = options.repeats;
            }
            interleave(trial, sampled, start, effort);
            nlohmann::json rows = nlohmann::json::array();
            for (const auto& row : sampled) rows.push_back(summary(row));
            if (options.form != CallForm::blocking)
                add_overlap(trial, sampled, start, effort, rows);
            if (session()->world_rank == 0)
                send_event({{"event", "result"},
                            {"mpi", library_name()},
                            {"operation", name},
                            {"form", to_text(options.form)},
                            {"bytes", bytes},
                            {"layout", layout_name(trial.communicator().hierarchy())},
                            {"ranks", ranks},
                            {"hosts", hosts_of(trial.communicator())},
                            {"patterns", rows}});
        }
    progress.update(1.0, "done");
}

}  // namespace eco
