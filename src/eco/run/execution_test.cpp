// SPDX-License-Identifier: BSD-3-Clause
#include "eco/run/execution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/transport/threads_for_test.h"

namespace eco {

using Ints = std::vector<std::int32_t>;

static std::byte* bytes_of(Ints& values) { return reinterpret_cast<std::byte*>(values.data()); }

static void add(std::byte* to, std::byte* from, Bytes bytes, bool) {
    for (Bytes i = 0; i < bytes; i += 4) {
        std::int32_t a = 0, b = 0;
        std::memcpy(&a, to + i, 4);
        std::memcpy(&b, from + i, 4);
        a += b;
        std::memcpy(to + i, &a, 4);
    }
}

// Runs all ranks as threads; n: elements of a message or block.
static std::vector<Ints> run_all(const Request& request, const Choice& choice, int n,
                                 const Combine& combine = add) {
    const int ranks = request.ranks();
    ThreadsExchange exchange(request.hierarchy,
                             [](std::byte* to, const std::byte* from, Bytes bytes) {
                                 std::vector<std::byte> copy(from, from + bytes);
                                 add(to, copy.data(), bytes, false);
                             });
    std::vector<Ints> inputs, outputs;
    const auto blocks = traits(request.operation).blocks;
    const int length = blocks == Blocks::parts ? n : n * ranks;
    for (Rank rank = 0; rank < ranks; ++rank) {
        inputs.emplace_back(length);
        for (int i = 0; i < length; ++i)
            inputs.back()[static_cast<std::size_t>(i)] = rank * 1000 + i;
        outputs.emplace_back(length, -1);
    }
    std::vector<std::thread> threads;
    for (Rank rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            const Prepared prepared(plan(choice, request, rank));
            Layout layout;
            layout.unit = 4;
            layout.input = bytes_of(inputs[static_cast<std::size_t>(rank)]);
            layout.output = bytes_of(outputs[static_cast<std::size_t>(rank)]);
            layout.whole = 4 * n;
            if (blocks != Blocks::parts) {
                layout.length = [n](int) { return Bytes{4} * n; };
                layout.input_offset = [n, ranks](int block) {
                    return Bytes{4} * n * (block % ranks);
                };
                layout.output_offset = [n, ranks, blocks](int block) {
                    return Bytes{4} * n * (blocks == Blocks::per_pair ? block / ranks : block);
                };
            }
            const auto transport = exchange.end_of(rank);
            execute(prepared, layout, combine, *transport);
            Execution persistent(prepared, layout, combine, *transport);
            for (int again = 0; again < 2; ++again) {
                auto& output = outputs[static_cast<std::size_t>(rank)];
                std::fill(output.begin(), output.end(), -1);
                persistent.start();
                persistent.finish();
            }
        });
    for (auto& thread : threads) thread.join();
    return outputs;
}

class ExecutionOf : public testing::TestWithParam<const char*> {};

TEST_P(ExecutionOf, AllreduceAddsUp) {
    const auto hierarchy = parse_hierarchy("(0 3 6) (1 4 (7 8)) (2 5)");
    for (const int n : {0, 1, 5, 1000}) {
        const auto outputs =
            run_all({Operation::allreduce, &hierarchy, 0, true}, parse_choice(GetParam()), n);
        for (const auto& output : outputs)
            for (int i = 0; i < n; ++i)
                ASSERT_EQ(output[static_cast<std::size_t>(i)], 36000 + 9 * i);
    }
}

INSTANTIATE_TEST_SUITE_P(Choices, ExecutionOf,
                         testing::Values("k2", "exchange:inner=star", "exchange:inner=native",
                                         "exchange:inner=native,segments=3",
                                         "tree:top=chain,inner=native,segments=2",
                                         "ring:segments=2", "butterfly",
                                         "tree:top=balanced,inner=chain,segments=4"));

// Says that it commutes and does not: all ranks must still have one result.
static void mix(std::byte* to, std::byte* from, Bytes bytes, bool earlier) {
    for (Bytes i = 0; i < bytes; i += 4) {
        std::uint32_t there = 0, comes = 0;
        std::memcpy(&there, to + i, 4);
        std::memcpy(&comes, from + i, 4);
        const std::uint32_t mixed = earlier ? 31 * comes + there : 31 * there + comes;
        std::memcpy(to + i, &mixed, 4);
    }
}

TEST(ExecutionOf, AllRanksHaveOneResult) {
    const auto hierarchy = parse_hierarchy("(0 3 6) (1 4 (7 8)) (2 5)");
    for (const char* choice :
         {"butterfly", "ring:segments=2", "circulant", "exchange:inner=star",
          "exchange:inner=k2,segments=5,split=1", "exchange:inner=star,segments=6,rotate=all",
          "tree:top=balanced,inner=chain,segments=4"})
        for (const bool commutative : {true, false}) {
            const Request request{Operation::allreduce, &hierarchy, 0, commutative};
            if (!supports(parse_choice(choice), request)) continue;
            const auto outputs = run_all(request, parse_choice(choice), 100, mix);
            for (const auto& output : outputs) EXPECT_EQ(output, outputs.front()) << choice;
        }
}

TEST(ExecutionOf, NativeInsideServesAnyRoot) {
    const auto hierarchy = parse_hierarchy("([(0 3) 6] 9) (1 4 (7 8)) (2 5)");
    const int n = 100;
    for (const char* choice :
         {"tree:top=star,inner=native,segments=1", "tree:top=balanced,inner=native,segments=4"})
        for (Rank root = 0; root < hierarchy.ranks(); ++root) {
            const auto sums = run_all({Operation::reduce, &hierarchy, root, true},
                                      parse_choice(choice), n)[static_cast<std::size_t>(root)];
            const auto copies =
                run_all({Operation::bcast, &hierarchy, root, true}, parse_choice(choice), n);
            for (int i = 0; i < n; ++i) {
                ASSERT_EQ(sums[static_cast<std::size_t>(i)], 45000 + 10 * i);
                for (Rank rank = 0; rank < hierarchy.ranks(); ++rank)
                    if (rank != root) {
                        ASSERT_EQ(
                            copies[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)],
                            root * 1000 + i);
                    }
            }
        }
}

TEST(ExecutionOf, AlltoallExchangesBlocks) {
    const auto hierarchy = parse_hierarchy("(0 3) (1 4) 2");
    for (const char* choice : {"direct:window=1", "exchange:inner=star", "direct:segments=3"}) {
        const int n = 7;
        const auto outputs =
            run_all({Operation::alltoall, &hierarchy, 0, true}, parse_choice(choice), n);
        for (int me = 0; me < 5; ++me)
            for (int source = 0; source < 5; ++source)
                for (int i = 0; i < n; ++i)
                    ASSERT_EQ(outputs[static_cast<std::size_t>(me)]
                                     [static_cast<std::size_t>(source * n + i)],
                              source * 1000 + me * n + i);
    }
}

// Its sends never end by themselves; receives end when they are waited for.
class Slow : public Transport {
public:
    explicit Slow(bool may_defer) : may_defer_(may_defer) {}
    void send(int id, const void*, Bytes, Rank, int) override { sends_.push_back(id); }
    void recv(int id, void* to, Bytes bytes, Rank, int) override {
        std::memset(to, 0, static_cast<std::size_t>(bytes));
        receives_.push_back(id);
    }
    void wait(std::vector<int>& ended) override {
        ++waits;
        auto& first = receives_.empty() ? sends_ : receives_;
        ASSERT_FALSE(first.empty());
        ended.push_back(first.back());
        first.pop_back();
    }
    void poll(std::vector<int>&) override {}
    std::size_t deferrable_sends() const override { return may_defer_ ? sends_.size() : 0; }
    void native_part(Operation, const void*, void*, Bytes, Rank) override {}

    int waits = 0;

private:
    bool may_defer_;
    std::vector<int> sends_, receives_;
};

TEST(ExecutionOf, LeavesOnlySendsThatMayCompleteLater) {
    const auto hierarchy = parse_hierarchy("0 1 2");
    const Request request{Operation::allreduce, &hierarchy, 0, true};
    const Prepared prepared(plan(parse_choice("star"), request, 0));
    Ints values(4, 1);
    Layout layout;
    layout.unit = 4;
    layout.input = layout.output = bytes_of(values);
    layout.whole = 16;
    for (const bool may_defer : {false, true}) {
        Slow transport(may_defer);
        execute(prepared, layout, add, transport);
        EXPECT_EQ(transport.waits, may_defer ? 2 : 4);  // two receives, and two sends
    }
}

// Calls of one communicator that are under way at once, of one plan, and each rank completes them
// in an order of its own.
TEST(ExecutionOf, CallsInFlightDoNotMix) {
    const auto hierarchy = parse_hierarchy("(0 1 2) (3 4)");
    const Request request{Operation::allreduce, &hierarchy, 0, true};
    constexpr int calls = 3, n = 50;
    ThreadsExchange exchange;
    std::vector<Ints> sums(5 * calls, Ints(n));
    std::vector<std::thread> threads;
    for (Rank rank = 0; rank < 5; ++rank)
        threads.emplace_back([&, rank] {
            const Prepared prepared(plan(parse_choice("k2"), request, rank));
            std::vector<Ints> inputs;
            std::vector<Layout> layouts(calls);
            std::vector<std::unique_ptr<Transport>> ends;
            std::vector<std::unique_ptr<Execution>> open;
            const Combine combine = add;
            for (int call = 0; call < calls; ++call)
                inputs.emplace_back(n, (rank + 1) * (1000 * call + 1));
            for (int call = 0; call < calls; ++call) {
                const auto number = static_cast<std::size_t>(call);
                layouts[number].unit = 4;
                layouts[number].whole = 4 * n;
                layouts[number].input = bytes_of(inputs[number]);
                layouts[number].output =
                    bytes_of(sums[static_cast<std::size_t>(rank) * calls + number]);
                ends.push_back(exchange.end_of(rank));
                open.push_back(std::make_unique<Execution>(prepared, layouts[number], combine,
                                                           *ends.back(), call * prepared.tags()));
            }
            for (int k = 0; k < calls; ++k)
                open[static_cast<std::size_t>((k * (rank % 2 + 1) + rank) % calls)]->start();
            for (int turn = rank; !open.empty(); ++turn) {
                const auto next = static_cast<std::size_t>(turn) % open.size();
                if (open[next]->progress())
                    open.erase(open.begin() + static_cast<std::ptrdiff_t>(next));
            }
        });
    for (auto& thread : threads) thread.join();
    for (std::size_t i = 0; i < sums.size(); ++i)
        for (const int value : sums[i])
            ASSERT_EQ(value, 15 * (1000 * (static_cast<int>(i) % calls) + 1));
}

// If a transport gives up, messages may be under way into the call's memory.
class Broken : public Slow {
public:
    Broken() : Slow(false) {}
    void recv(int, void* data, Bytes, Rank, int) override { buffers.push_back(data); }
    void wait(std::vector<int>&) override { throw std::runtime_error("broken"); }
    std::vector<void*> buffers;
};

TEST(ExecutionOf, MemoryOfMessagesUnderWayOutlivesAnError) {
    const auto hierarchy = parse_hierarchy("0 1 2");
    const Request request{Operation::reduce, &hierarchy, 0, true};
    const Prepared prepared(plan(parse_choice("star"), request, 0));
    Ints values(4, 1), result(4);
    Layout layout;
    layout.unit = 4;
    layout.input = bytes_of(values);
    layout.output = bytes_of(result);
    layout.whole = 16;
    Broken transport;
    EXPECT_THROW(execute(prepared, layout, add, transport), std::runtime_error);
    ASSERT_EQ(transport.buffers.size(), 2U);
    // Neither freed nor given to the next call: a late message would spoil it.
    Slow next(true);
    const auto late = transport.buffers;
    for (void* buffer : late) std::memset(buffer, 0x55, 16);
    EXPECT_NO_THROW(execute(prepared, layout, add, next));
    for (void* buffer : late) EXPECT_EQ(static_cast<char*>(buffer)[0], 0x55);
}

TEST(ExecutionMemoryOf, KeepsNoMoreThanItMay) {
    ExecutionMemory memory;
    memory.states.resize(40);
    memory.scratch.reserve(2 * ExecutionMemory::most_kept);
    for (auto& state : memory.states) state.staging.reserve(ExecutionMemory::longest_kept);
    memory.keep();
    Bytes kept = memory.scratch.size();
    for (const auto& state : memory.states) kept += state.staging.size();
    EXPECT_EQ(kept, ExecutionMemory::most_kept);
    EXPECT_EQ(memory.kept(), kept);
}

// A program that rotates roots has a plan for each.
TEST(ExecutionMemoryOf, AllPlansTogetherKeepNoMoreThanTheyMay) {
    std::vector<ExecutionMemory> plans(1000);
    Bytes kept = 0;
    for (auto& plan : plans) {
        plan.scratch.reserve(ExecutionMemory::most_kept);
        plan.keep();
        kept += plan.scratch.size();
    }
    EXPECT_EQ(kept, ExecutionMemory::most_kept_in_all);
    plans.front().use();
    plans.back().scratch.reserve(ExecutionMemory::most_kept);
    plans.back().keep();
    EXPECT_EQ(plans.back().kept(), ExecutionMemory::most_kept);
}

}  // namespace eco
