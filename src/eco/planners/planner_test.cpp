// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "eco/planners/choice_text.h"
#include "eco/planners/family.h"
#include "eco/schedule/verify.h"
#include "eco/selection/candidates.h"

namespace eco {

// A random nesting of shuffled ranks: lone ranks, unequal groups, up to three levels.
static std::string random_groups(std::vector<Rank> ranks, int depth, std::mt19937& random) {
    std::string text;
    while (!ranks.empty()) {
        const std::size_t most = ranks.size();
        const std::size_t size = depth == 0 ? 1 : 1 + random() % most;
        const std::vector<Rank> part(ranks.end() - static_cast<std::ptrdiff_t>(size), ranks.end());
        ranks.resize(ranks.size() - size);
        if (!text.empty()) text += ' ';
        const std::string ends[] = {"()", "()", "[]", "{}"};
        const std::string& end = ends[random() % 4];
        text += size == 1 ? std::to_string(part[0])
                          : end[0] + random_groups(part, depth - 1, random) + end[1];
    }
    return text;
}

static Hierarchy random_hierarchy(int ranks, std::mt19937& random) {
    auto order = all_chunks(ranks);
    if (random() % 3 != 0) std::shuffle(order.begin(), order.end(), random);
    const std::string groups = random_groups(order, 1 + static_cast<int>(random() % 3), random);
    return parse_hierarchy(random() % 4 == 0 ? "{" + groups + "}" : groups);
}

static std::vector<Choice> every_choice() {
    std::vector<Choice> choices;
    for (const char* text : {"k2",
                             "k3",
                             "star",
                             "chain",
                             "binomial",
                             "ring",
                             "butterfly",
                             "tree:top=star,inner=star",
                             "tree:top=chain,inner=k2,segments=3",
                             "tree:top=balanced,inner=chain,segments=1",
                             "tree:top=k2,inner=binomial,segments=2",
                             "tree:top=balanced,inner=star,segments=4",
                             "tree:top=star,inner=binomial,segments=4,rotate=all",
                             "tree:top=chain,inner=postal3,segments=17,rotate=groups",
                             "tree:top=relay,inner=chain,segments=7,rotate=all",
                             "tree:top=relay,inner=star,segments=9,window=2,rotate=groups",
                             "tree:top=relay,inner=chain,segments=7,rotate=all,straight=40",
                             "tree:top=relay,segments=5,window=2,rotate=groups,straight=50",
                             "tree:top=relay,segments=3,rotate=groups,straight=100",
                             "exchange:inner=chain,segments=7,split=1,straight=40",
                             "exchange:inner=star,segments=9,split=1,rotate=all,straight=30",
                             "exchange:inner=k2,segments=4,window=2,split=1,straight=100",
                             "exchange:inner=star",
                             "exchange:inner=k2,segments=1",
                             "exchange:inner=chain,segments=3",
                             "exchange:inner=star,segments=5,split=1",
                             "exchange:inner=k2,segments=3,rotate=all",
                             "exchange:inner=star,segments=11,split=1,rotate=all",
                             "tree:top=star/chain/k2,inner=binomial,segments=2",
                             "tree:top=chain/postal2,inner=star,segments=5,rotate=all",
                             "exchange:inner=star,carriers=1",
                             "exchange:inner=star,carriers=3",
                             "exchange:inner=star,segments=3,carriers=2",
                             "exchange:inner=star,segments=2,window=2,carriers=64",
                             "ring",
                             "tree:top=star,inner=binomial,segments=2,rotate=groups",
                             "tree:top=chain,inner=k2,rotate=all",
                             "exchange:inner=star,segments=6,rotate=all",
                             "ring:segments=2",
                             "ring:segments=1,on=ranks",
                             "butterfly:on=ranks",
                             "direct",
                             "tree:top=chain,inner=star,segments=5,window=2",
                             "exchange:inner=chain,segments=5,window=1",
                             "ring:segments=2,window=1,on=levels",
                             "tree:top=balanced,inner=native,segments=1",
                             "tree:top=binomial,inner=native,segments=3,window=1",
                             "tree:top=relay,inner=native,segments=7,rotate=groups",
                             "exchange:top=chain,inner=native,segments=3,rotate=groups",
                             "exchange:inner=native",
                             "exchange:top=binomial,inner=native,segments=2",
                             "exchange:inner=native,segments=5,split=1",
                             "direct:window=1",
                             "direct:segments=2,window=3",
                             "tree:inner=binomial2,on=ranks,rails=2",
                             "tree:top=binomial3,inner=binomial2,segments=2",
                             "tree:inner=star,ports=2,on=ranks",
                             "tree:inner=disjoint,segments=6,on=ranks",
                             "tree:top=disjoint/chain,inner=disjoint,segments=5,window=2",
                             "tree:top=star,inner=disjoint,segments=7,rotate=all",
                             "tree:top=balanced,inner=chain,segments=3,on=groups",
                             "tree:inner=chain,segments=3,on=ring",
                             "tree:top=chain,inner=k2,segments=3,rotate=all,on=groups",
                             "exchange:inner=binomial,segments=2,on=groups",
                             "index",
                             "index:ports=2",
                             "index:segments=2,ports=3,on=ranks",
                             "mcast",
                             "mcast:segments=3",
                             "mcast:inner=k2,segments=2",
                             "mcast:top=balanced,inner=chain,segments=3",
                             "mcast:top=chain",
                             "mcast:top=chain,segments=3",
                             "mcast:top=relay,inner=chain,segments=2",
                             "mcast:top=binomial,segments=5",
                             "mcast:top=postal2,inner=k2,segments=1",
                             "circulant:segments=7",
                             "circulant:segments=3,ports=1,on=ranks",
                             "ordered",
                             "ordered:segments=3",
                             "ordered:segments=2,on=ranks"})
        choices.push_back(parse_choice(text));
    return choices;
}

// Also a family that no list below names yet.
static std::vector<Choice> every_family() {
    std::vector<Choice> list;
    for (std::size_t family = 0; family < planner_families().size(); ++family)
        for (const int segments : {0, 2}) list.emplace_back(static_cast<Family>(family), segments);
    return list;
}

class EveryPlanner : public testing::TestWithParam<int> {};

// Every operation, every family, all roots, commuting and not, over random topologies.
TEST_P(EveryPlanner, DoesWhatItsCollectiveSays) {
    const int ranks = GetParam();
    std::mt19937 random(static_cast<unsigned>(ranks));
    const int draws = ranks <= 8 ? 12 : ranks <= 13 ? 4 : 1;
    for (int draw = 0; draw < draws; ++draw) {
        const Hierarchy hierarchy = random_hierarchy(ranks, random);
        for (int o = 0; o < operation_count; ++o) {
            Request request{static_cast<Operation>(o), &hierarchy, 0, true};
            const auto& traits = eco::traits(request.operation);
            for (const bool commutative : {true, false}) {
                if (!commutative && !traits.reduces()) continue;
                request.commutative = commutative;
                auto choices = every_choice();
                const auto families = every_family();
                choices.insert(choices.end(), families.begin(), families.end());
                for (const Bytes bytes : {Bytes{-1}, Bytes{16}, Bytes{16000}}) {
                    const auto more = candidates(request, bytes);
                    choices.insert(choices.end(), more.begin(), more.end());
                }
                for (const Choice& choice : choices) {
                    if (!supports(choice, request)) continue;
                    for (Rank root = 0; root < (traits.rooted() ? ranks : 1); ++root) {
                        if (ranks > 13 && root % 21 != 0) continue;
                        request.root = root;
                        ASSERT_EQ(
                            verify(request, [&](Rank me) { return plan(choice, request, me); }), "")
                            << traits.name << " " << to_text(choice) << " root " << root << " on "
                            << describe(hierarchy.top) << (commutative ? "" : ", ordered");
                    }
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryPlanner, testing::Values(1, 2, 3, 4, 7, 8, 13, 64));

// verify: also that all ranks combine the same operands in the same order and pairs.
TEST(Planner, AnAllreduceHasOneResultOnAllRanks) {
    std::mt19937 random(17);
    std::set<Family> families;
    for (int ranks = 2; ranks <= 17; ++ranks)
        for (int draw = 0; draw < 4; ++draw) {
            const Hierarchy hierarchy = random_hierarchy(ranks, random);
            for (const bool commutative : {true, false}) {
                const Request request{Operation::allreduce, &hierarchy, 0, commutative};
                auto choices = every_choice();
                for (const auto& more : {every_family(), candidates(request, 16000)})
                    choices.insert(choices.end(), more.begin(), more.end());
                for (const Choice& choice : choices) {
                    if (!supports(choice, request)) continue;
                    families.insert(choice.family());
                    ASSERT_EQ(verify(request, [&](Rank me) { return plan(choice, request, me); }),
                              "")
                        << to_text(choice) << " on " << describe(hierarchy.top)
                        << (commutative ? "" : ", ordered");
                }
            }
        }
    using enum Family;
    EXPECT_EQ(families, (std::set{tree, exchange, ring, butterfly, mcast, circulant}));
}

// Inside innermost groups there are native tasks and nothing else; between them no more crossings
// than without.
TEST(Planner, NativeInsideSendsNothingInsideGroups) {
    const Hierarchy hierarchy = parse_hierarchy(
        "([(0 9) 4] [7 2] (12 1)) ([3 14] 5) (6 13 (8 10))"
        " [11 15]");
    using enum Operation;
    for (const Operation operation : {bcast, reduce, allreduce, barrier})
        for (const char* choice :
             {"tree:top=balanced,inner=native,segments=2", "exchange:top=binomial,inner=native"}) {
            const Request request{operation, &hierarchy, 4, true};
            if (!supports(parse_choice(choice), request)) continue;
            int natives = 0;
            for (Rank rank = 0; rank < request.ranks(); ++rank) {
                const auto& group = innermost(hierarchy.top, rank);
                for (const Task& task : plan(parse_choice(choice), request, rank).tasks) {
                    natives += task.kind == Kind::native ? 1 : 0;
                    EXPECT_FALSE(task.kind == Kind::send && group.holds(task.peer));
                }
            }
            // 13 ranks share a group; one task each way.
            EXPECT_EQ(natives, operation == bcast || operation == reduce ? 13 : 26);
        }
}

TEST(Planner, NativeInsideIsOfferedWhereGroupsHaveSeveralRanks) {
    const auto offered = [](const char* groups, Operation operation) {
        const Hierarchy hierarchy = parse_hierarchy(groups);
        const auto list = candidates({operation, &hierarchy, 0, true}, 1024);
        return std::any_of(list.begin(), list.end(),
                           [](const Choice& choice) { return choice.native_inside(); });
    };
    for (const Operation operation :
         {Operation::bcast, Operation::reduce, Operation::allreduce, Operation::barrier}) {
        EXPECT_TRUE(offered("(0 1 2) (3 4)", operation));
        EXPECT_TRUE(offered("[0 1] 2", operation));
        EXPECT_FALSE(offered("0 1 2", operation));
        EXPECT_FALSE(offered("[(0 1) (2 3)]", operation));
    }
    EXPECT_FALSE(offered("(0 1 2) (3 4)", Operation::scatter));
}

TEST(Planner, LengthsNeedNotBeKnownWhereBlocksGoStraight) {
    int straight = 0, passed_on = 0;
    for (const char* groups : {"0 1 2 3 4", "(0 3) (1 2 4)", "[(0 1) (2 3)] 4"}) {
        const Hierarchy hierarchy = parse_hierarchy(groups);
        for (const Operation operation : {Operation::gatherv, Operation::scatterv})
            for (const Choice& choice : every_choice()) {
                const Request request{operation, &hierarchy, 3, true};
                if (!supports(choice, request)) continue;
                bool of_others = false;
                for (Rank me = 0; me < request.ranks(); ++me) {
                    const Program program = plan(choice, request, me);
                    for (const Task& task : program.tasks)
                        for (const Chunk chunk : program.chunks_of(task))
                            of_others |= me != 3 && chunk / program.segments != me;
                }
                straight += passes_blocks_on(choice, hierarchy) ? 0 : 1;
                passed_on += of_others ? 1 : 0;
                EXPECT_TRUE(passes_blocks_on(choice, hierarchy) || !of_others)
                    << to_text(choice) << " on " << groups;
            }
    }
    EXPECT_GT(straight, 0);
    EXPECT_GT(passed_on, 0);
}

TEST(Planner, EveryOperationHasACandidate) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1 2) (3 4 5) (6 7)");
    for (int o = 0; o < operation_count; ++o)
        for (const bool commutative : {true, false})
            for (const Bytes bytes : {Bytes{-1}, Bytes{1}, Bytes{1 << 20}}) {
                const Request request{static_cast<Operation>(o), &hierarchy, 0, commutative};
                const auto list = candidates(request, bytes);
                ASSERT_FALSE(list.empty());
                for (const auto& choice : list) EXPECT_TRUE(supports(choice, request));
            }
}

// Else the host that all begin with has P - 1 messages at once, and the others none.
TEST(Planner, BlocksGoToANextHostFirst) {
    const Hierarchy hierarchy = parse_hierarchy("0 1 2 3 4 5");
    const Request request{Operation::reduce_scatter, &hierarchy};
    for (const char* text : {"exchange:inner=star,segments=1", "exchange:inner=star",
                             "tree:top=star,inner=star,rotate=all"}) {
        const Choice choice = parse_choice(text);
        for (Rank me = 0; me < 6; ++me) {
            const Program program = plan(choice, request, me);
            // What a send waits for comes first, one task after the other.
            std::vector<Rank> sends, copied;
            for (const Task& task : program.tasks) {
                const auto chunks = program.chunks_of(task);
                if (task.kind == Kind::send) sends.push_back(task.peer);
                if (task.kind == Kind::copy && chunks.size() == 1)
                    copied.push_back(static_cast<Rank>(chunks.front()));
            }
            ASSERT_EQ(sends.size(), 5U) << text;
            EXPECT_EQ(sends.front(), (me + 1) % 6) << text << " rank " << me;
            if (copied.size() >= 6) {
                EXPECT_EQ(copied.front(), (me + 1) % 6) << text;
            }
        }
    }
}

}  // namespace eco
