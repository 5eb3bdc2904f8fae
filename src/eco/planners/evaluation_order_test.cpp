// SPDX-License-Identifier: BSD-3-Clause
// Choices of one evaluation order combine every element by the same expression: all ranks' programs
// are run with expressions for values, and compared.
#include "eco/planners/evaluation_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/selection/candidates.h"

namespace eco {

namespace {

using Expression = std::uint64_t;  // its hash; 0: nothing

Expression combined(Expression a, Expression b) {
    return (a * 0x9E3779B97F4A7C15ULL ^ (b + 0x7F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL + 1;
}

// Of each rank: what each of `places` evenly spaced elements of its output is, in all blocks that
// it has at the end.
class SymbolicRun {
public:
    SymbolicRun(const Choice& choice, const Request& request) {
        for (Rank rank = 0; rank < request.ranks(); ++rank)
            programs_.push_back(plan(choice, request, rank));
        memory_.resize(programs_.size());
        std::vector<std::vector<bool>> done;
        for (const Program& program : programs_) done.emplace_back(program.tasks.size(), false);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t rank = 0; rank < programs_.size(); ++rank)
                for (std::size_t task = 0; task < done[rank].size(); ++task) {
                    if (done[rank][task] || !may_run(programs_[rank], done[rank], task)) continue;
                    done[rank][task] = step(static_cast<Rank>(rank), programs_[rank].tasks[task]);
                    moved = moved || done[rank][task];
                }
        }
        for (const auto& tasks : done)
            EXPECT_EQ(std::count(tasks.begin(), tasks.end(), false), 0) << to_text(choice);
    }

    std::vector<Expression> results(const Request& request, int places) const {
        const bool parts = traits(request.operation).blocks == Blocks::parts;
        const bool own = traits(request.operation).ends == Ends::own;
        std::vector<Expression> found;
        for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
            if (traits(request.operation).ends == Ends::root &&
                static_cast<Rank>(rank) != request.root)
                continue;
            // A ring cuts the message into a part for each rank and segment.
            const int segments = programs_[rank].segments;
            const int block = parts || !own ? 0 : static_cast<int>(rank);
            for (int place = 0; place < places; ++place) {
                const Chunk chunk = block * segments + place * segments / places;
                const auto value = memory_[rank].find({output, chunk});
                found.push_back(value == memory_[rank].end() ? 0 : value->second);
            }
        }
        return found;
    }

private:
    Expression value(Rank rank, Buffer buffer, Chunk chunk) {
        if (buffer == input) return static_cast<Expression>(rank) + 1;
        return memory_[static_cast<std::size_t>(rank)][{buffer, chunk}];
    }

    static bool may_run(const Program& program, const std::vector<bool>& done, std::size_t task) {
        const auto waits = program.waits_of(program.tasks[task]);
        return std::all_of(waits.begin(), waits.end(),
                           [&](std::int32_t wait) { return done[static_cast<std::size_t>(wait)]; });
    }

    bool step(Rank rank, const Task& task) {
        auto& memory = memory_[static_cast<std::size_t>(rank)];
        const Program& program = programs_[static_cast<std::size_t>(rank)];
        const auto chunks = program.chunks_of(task);
        const auto send_to = [&](Rank to) {
            auto& message = messages_[{rank, to, task.kind == Kind::mcast, task.tag}];
            for (const Chunk chunk : chunks) message.push_back(value(rank, task.from, chunk));
        };
        switch (task.kind) {
            case Kind::send:
                send_to(task.peer);
                return true;
            case Kind::mcast:
                for (const Rank to : program.receivers_of(task)) send_to(to);
                return true;
            case Kind::recv:
            case Kind::reduce:
            case Kind::mcast_recv: {
                const auto message =
                    messages_.find({task.peer, rank, task.kind == Kind::mcast_recv, task.tag});
                if (message == messages_.end()) return false;
                for (std::size_t i = 0; i < chunks.size(); ++i) {
                    Expression& to = memory[{task.to, chunks[i]}];
                    const Expression came = message->second[i];
                    to = task.kind != Kind::reduce ? came
                         : task.earlier            ? combined(came, to)
                                                   : combined(to, came);
                }
                return true;
            }
            case Kind::copy:
                for (const Chunk chunk : chunks)
                    memory[{task.to, chunk}] = value(rank, task.from, chunk);
                return true;
            case Kind::combine:
                for (const Chunk chunk : chunks) {
                    const Expression from = value(rank, task.from, chunk);
                    Expression& to = memory[{task.to, chunk}];
                    to = task.earlier ? combined(from, to) : combined(to, from);
                }
                return true;
            case Kind::native:
                break;
        }
        ADD_FAILURE() << "what the library adds up is not known here";
        return false;
    }

    std::vector<Program> programs_;
    std::vector<std::map<std::pair<Buffer, Chunk>, Expression>> memory_;
    // From, to, whether it is multicast, tag.
    std::map<std::tuple<Rank, Rank, bool, std::int32_t>, std::vector<Expression>> messages_;
};

const char* const networks[] = {"{0 1 2} {3 4 5} {6 7}", "{0 3 6} {1 4 7} {2 5}",
                                "((0 1) (2 3)) ((4 5 6) (7))", "(0 1 2 3 4)"};

// Element by element, wherever segments of 1 to 7 and blocks of 8 ranks end.
constexpr int places = 840;

}  // namespace

TEST(EvaluationOrder, EqualOrdersAddUpEveryElementAlike) {
    int compared = 0;
    for (const char* network : networks) {
        const Hierarchy hierarchy = parse_hierarchy(network);
        for (const Operation operation : operations()) {
            if (!traits(operation).reduces() || base(operation) != operation) continue;
            const Request request{operation, &hierarchy, 0, true};
            // By the order that they are said to have.
            std::map<std::string, std::pair<Choice, std::vector<Expression>>> first_of;
            for (const Choice& candidate : candidates(request, 16000)) {
                for (const int segments : {candidate.segments, 1, 4, 7}) {
                    for (const int window : {0, 2}) {
                        Choice choice = candidate;
                        choice.segments = segments;
                        choice.window = window;
                        if (choice.is_native() || choice.native_inside() ||
                            !supports(choice, request))
                            continue;
                        const auto found = SymbolicRun(choice, request).results(request, places);
                        const auto [first, fresh] = first_of.try_emplace(
                            to_text(evaluation_order(choice, request)), choice, found);
                        compared += fresh ? 0 : 1;
                        EXPECT_EQ(found, first->second.second)
                            << traits(operation).name << " on " << network << ": "
                            << to_text(choice) << " and " << to_text(first->second.first);
                    }
                }
            }
        }
    }
    EXPECT_GT(compared, 500);
}

TEST(EvaluationOrder, MulticastSumsAddUpAsTheirTreesDo) {
    int compared = 0;
    for (const char* network : networks) {
        Hierarchy hierarchy = parse_hierarchy(network);
        hierarchy.top.mcast_rate = 1e6;
        for (const Operation operation : operations()) {
            const Request request{operation, &hierarchy, 0, true};
            for (const char* text : {"mcast:segments=1", "mcast:inner=chain,segments=3",
                                     "mcast:top=chain,inner=binomial,segments=2"}) {
                const Choice mcast = parse_choice(text), tree = without_multicast(mcast);
                if (!traits(operation).reduces() || base(operation) != operation ||
                    !supports(mcast, request) || !supports(tree, request))
                    continue;
                ++compared;
                EXPECT_EQ(SymbolicRun(mcast, request).results(request, places),
                          SymbolicRun(tree, request).results(request, places))
                    << traits(operation).name << " on " << network << ": " << text;
            }
        }
    }
    EXPECT_GE(compared, 8);
}

// What this test would not see if all choices were said to have one order each.
TEST(EvaluationOrder, SegmentsOfOneTreeAndMulticastsOfItsSumAreAlike) {
    const Hierarchy hierarchy = parse_hierarchy("{0 1 2} {3 4 5} {6 7}");
    const Request request{Operation::allreduce, &hierarchy, 0, true};
    const auto same = [&](const char* a, const char* b) {
        return same_evaluation_order(parse_choice(a), parse_choice(b), request);
    };
    EXPECT_TRUE(same("tree:top=star,inner=binomial,segments=1",
                     "tree:top=star,inner=binomial,segments=6,window=2"));
    EXPECT_TRUE(same("tree:top=star,inner=star,segments=3", "mcast:segments=1"));
    EXPECT_FALSE(same("tree:top=star,inner=star,segments=3", "mcast:inner=chain,segments=3"));
    EXPECT_TRUE(same("tree:top=star,inner=chain", "mcast:inner=chain,segments=3"));
    EXPECT_TRUE(same("ring:segments=2", "ring:segments=2,window=1"));
    EXPECT_FALSE(same("tree:top=star,inner=star", "tree:top=chain,inner=star"));
    EXPECT_FALSE(same("tree:top=star,inner=star,rotate=all,segments=2",
                      "tree:top=star,inner=star,rotate=all,segments=4"));
    EXPECT_FALSE(same("ring:segments=1", "ring:segments=2"));
    EXPECT_FALSE(same("butterfly", "native"));
    EXPECT_TRUE(same("native", "native"));
    const Request bcast{Operation::bcast, &hierarchy, 0, true};
    EXPECT_TRUE(same_evaluation_order(Choice{}, parse_choice("k3"), bcast));
}

// The test's own run must tell two orders apart.
TEST(EvaluationOrder, AnotherTreeGivesAnotherExpression) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1 2) (3 4 5) (6 7)");
    const Request request{Operation::reduce, &hierarchy, 0, true};
    const auto results = [&](const char* choice) {
        return SymbolicRun(parse_choice(choice), request).results(request, places);
    };
    EXPECT_NE(results("tree:top=star,inner=star"), results("tree:top=chain,inner=star"));
    EXPECT_NE(results("tree:top=star,inner=star"), results("k2"));
    for (const Expression each : results("k2")) EXPECT_NE(each, 0U);
}

}  // namespace eco
