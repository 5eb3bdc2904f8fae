#include "eco/run/executor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "eco/plan/planner.h"
#include "eco/transport/threads.h"

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
static std::vector<Ints> run_all(const Request& request, const Choice& choice, int n) {
    const int ranks = request.ranks();
    ThreadsExchange exchange(ranks, request.hierarchy,
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
            for (int again = 0; again < 2; ++again) execute(prepared, layout, add, *transport);
        });
    for (auto& thread : threads) thread.join();
    return outputs;
}

class Executor : public testing::TestWithParam<const char*> {};

TEST_P(Executor, AllreduceAddsUp) {
    const auto hierarchy = parse_hierarchy("(0 3 6) (1 4 (7 8)) (2 5)");
    for (const int n : {0, 1, 5, 1000}) {
        const auto outputs =
            run_all({Operation::allreduce, &hierarchy, 0, true}, parse_choice(GetParam()), n);
        for (const auto& output : outputs)
            for (int i = 0; i < n; ++i)
                ASSERT_EQ(output[static_cast<std::size_t>(i)], 36000 + 9 * i);
    }
}

INSTANTIATE_TEST_SUITE_P(Choices, Executor,
                         testing::Values("k2", "exchange:inner=star", "exchange:inner=native",
                                         "exchange:inner=native,segments=3",
                                         "tree:top=chain,inner=native,segments=2",
                                         "ring:segments=2", "butterfly",
                                         "tree:top=balanced,inner=chain,segments=4"));

TEST(Executor, NativeInsideServesAnyRoot) {
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

TEST(Executor, AlltoallExchangesBlocks) {
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
    explicit Slow(bool may_linger) : may_linger_(may_linger) {}
    void send(int id, const void*, Bytes, Rank, int) override { sends_.push_back(id); }
    void recv(int id, void*, Bytes, Rank, int) override { receives_.push_back(id); }
    void wait(std::vector<int>& ended) override {
        ++waits;
        auto& first = receives_.empty() ? sends_ : receives_;
        ASSERT_FALSE(first.empty());
        ended.push_back(first.back());
        first.pop_back();
    }
    void poll(std::vector<int>&) override {}
    std::size_t lingering() const override { return may_linger_ ? sends_.size() : 0; }
    void native_part(Operation, const void*, void*, Bytes, Rank) override {}

    int waits = 0;

private:
    bool may_linger_;
    std::vector<int> sends_, receives_;
};

TEST(Executor, LeavesOnlySendsThatLinger) {
    const auto hierarchy = parse_hierarchy("0 1 2");
    const Request request{Operation::allreduce, &hierarchy, 0, true};
    const Prepared prepared(plan(parse_choice("star"), request, 0));
    Ints values(4, 1);
    Layout layout;
    layout.unit = 4;
    layout.input = layout.output = bytes_of(values);
    layout.whole = 16;
    for (const bool may_linger : {false, true}) {
        Slow transport(may_linger);
        execute(prepared, layout, add, transport);
        EXPECT_EQ(transport.waits, may_linger ? 2 : 4);  // two receives, and two sends
    }
}

}  // namespace eco
