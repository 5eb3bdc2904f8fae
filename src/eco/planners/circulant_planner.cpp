// SPDX-License-Identifier: BSD-3-Clause
// Collectives on circulant graphs, for any number of ranks (Träff, 2024, arXiv 2407.18004 and
// 2410.14234). The ranks stand in ring order, the root first. In each round a rank sends one
// message and receives one.
// - broadcast: n segments in n-1+ceil(log2 P) rounds; reduce: the same backwards;
// - allgather: P blocks in ceil(log2 P) rounds; reduce_scatter: the same backwards;
// - allreduce: reduce_scatter of as many parts as there are ranks, then allgather.
#include <algorithm>

#include "eco/base/at.h"
#include "eco/planners/circulant.h"
#include "eco/planners/family.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

// A round of a broadcast, as one rank sees it; -1: it does nothing.
struct Round {
    int to, sent;        // place, segment
    int from, received;  // place, segment
};

class CirculantPlanner {
public:
    CirculantPlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          request_(request),
          ranks_(request.ranks()),
          segments_(segments_of(choice)),
          graph_(ranks_),
          order_(request.hierarchy->ring),
          builder_(request, has_rules(request, {Rules::sum}) ? ranks_ * segments_ : segments_,
                   choice.window, choice.ports) {
        if (traits(request.operation).rooted())
            std::rotate(order_.begin(), std::find(order_.begin(), order_.end(), request.root),
                        order_.end());
        place_ = static_cast<int>(std::find(order_.begin(), order_.end(), me) - order_.begin());
    }

    Program run() {
        if (has_rules(request_, {Rules::sum})) {
            scatter_sums(output);
            gather();
        } else if (has_rules(request_, {Rules::all_blocks})) {
            builder_.copy(input, output, blocks(place_, 1));
            gather();
        } else if (has_rules(request_, {Rules::sum_blocks})) {
            scatter_sums(scratch());
            builder_.copy(scratch(), output, blocks(place_, 1));
        } else if (traits(request_.operation).reduces()) {
            reduce();
        } else {
            broadcast();
        }
        return builder_.finish();
    }

private:
    int wrap(int place) const { return ((place % ranks_) + ranks_) % ranks_; }
    Rank rank_at(int place) const { return order_[at(wrap(place))]; }

    std::vector<Round> rounds() const {
        const int dimensions = graph_.dimensions();
        std::vector<std::vector<int>> sent;
        for (int dimension = 0; dimension < dimensions; ++dimension)
            sent.push_back(graph_.blocks_to(wrap(place_ + graph_.skip(dimension))));
        const auto received = graph_.blocks_to(place_);
        std::vector<Round> rounds;
        if (dimensions == 0) return rounds;
        // Phases are whole at the end: then nobody gets a segment twice. The last phase would go on
        // beyond the last segment; instead it brings that one.
        const int all = segments_ - 1 + dimensions;
        const int first = (dimensions - all % dimensions) % dimensions;
        for (int round = first; round < first + all; ++round) {
            const int dimension = round % dimensions, phase = round - dimension - first;
            const int skip = graph_.skip(dimension), to = wrap(place_ + skip);
            const int out = phase + sent[at(dimension)][at(dimension)];
            const int in = phase + received[at(dimension)];
            rounds.push_back({to == 0 || out < 0 ? -1 : to, std::min(out, segments_ - 1),
                              place_ == 0 || in < 0 ? -1 : wrap(place_ - skip),
                              std::min(in, segments_ - 1)});
        }
        return rounds;
    }

    void broadcast() {
        const Buffer memory = place_ == 0 ? input : output;
        for (const Round& round : rounds()) {
            if (round.to >= 0) builder_.send(rank_at(round.to), memory, {&round.sent, 1});
            if (round.from >= 0) builder_.recv(rank_at(round.from), memory, {&round.received, 1});
        }
    }

    void reduce() {
        const Buffer sum = place_ == 0 ? output : scratch();
        const auto forwards = rounds();
        std::vector<char> adds(at(segments_), place_ == 0);
        for (const Round& round : forwards)
            if (round.to >= 0) adds[at(round.sent)] = 1;
        for (Chunk segment = 0; segment < segments_; ++segment)
            if (adds[at(segment)]) builder_.copy(input, sum, {&segment, 1});
        for (auto round = forwards.rbegin(); round != forwards.rend(); ++round) {
            if (round->from >= 0)
                builder_.send(rank_at(round->from), adds[at(round->received)] ? sum : input,
                              {&round->received, 1});
            if (round->to >= 0) builder_.reduce(rank_at(round->to), sum, {&round->sent, 1});
        }
    }

    // Those of so many ranks from a place on; of a message in parts any numbering does.
    std::vector<Chunk> blocks(int place, int count) const {
        std::vector<Rank> owners;
        for (int owner = place; owner < place + count; ++owner) owners.push_back(rank_at(owner));
        return chunks_of(std::move(owners), segments_);
    }

    // Blocks from this place on, in runs that become longer.
    void gather() {
        for (int dimension = 0; dimension < graph_.dimensions(); ++dimension) {
            const int skip = graph_.skip(dimension), more = graph_.skip(dimension + 1) - skip;
            for (const auto& message : messages(blocks(place_, more), choice_))
                builder_.send(rank_at(place_ - skip), output, message);
            for (const auto& message : messages(blocks(place_ + skip, more), choice_))
                builder_.recv(rank_at(place_ + skip), output, message);
        }
    }

    // Backwards; at last the own block's sum is whole.
    void scatter_sums(Buffer sum) {
        const int last = graph_.dimensions() - 1, half = last < 0 ? 1 : graph_.skip(last);
        builder_.copy(input, sum, blocks(place_, half));
        for (int dimension = last; dimension >= 0; --dimension) {
            const int skip = graph_.skip(dimension), more = graph_.skip(dimension + 1) - skip;
            for (const auto& message : messages(blocks(place_ + skip, more), choice_))
                builder_.send(rank_at(place_ + skip), dimension == last ? input : sum, message);
            for (const auto& message : messages(blocks(place_, more), choice_))
                builder_.reduce(rank_at(place_ - skip), sum, message);
        }
    }

    const Choice& choice_;
    const Request& request_;
    int ranks_, segments_;
    Circulant graph_;
    std::vector<Rank> order_;  // by place
    int place_ = 0;
    Builder builder_;
};

// Of trees: a broadcast leaves the root as it is, anything else is a reduction.
bool knows_circulant(const Choice&, const Request& request) {
    const auto& asked = traits(request.operation);
    return !keeps_order(request) &&
           (has_rules(request, {Rules::all_blocks, Rules::sum_blocks, Rules::sum}) ||
            (asked.rules == Rules::tree && (asked.ends == Ends::others || asked.reduces())));
}

Program plan_circulant(const Choice& choice, const Request& request, Rank me) {
    return CirculantPlanner(choice, request, me).run();
}

Extent extent_of_circulant(const Choice& choice, const Request& request) {
    const double segments = segments_of(choice), ranks = request.ranks();
    const double dimensions = Circulant(request.ranks()).dimensions();
    if (has_rules(request, {Rules::tree})) {
        const double tasks = 2 * (segments - 1 + dimensions) + segments;
        return {tasks, tasks};
    }
    const double turns = has_rules(request, {Rules::sum}) ? 2 : 1;
    const double chunks = (2 * turns + 1) * ranks * segments;
    return {choice.segments == 0 ? 2 * turns * dimensions + 2 : chunks, chunks};
}

double scratch_of_circulant(const Choice& choice, const Request& request) {
    const double segments = segments_of(choice), ranks = request.ranks();
    if (has_rules(request, {Rules::tree})) {
        if (!traits(request.operation).reduces()) return 0;
        // Each round brings one segment at most.
        return 2 + (Circulant(request.ranks()).dimensions() - 1) / segments;
    }
    // Blocks lie in the order of places, so messages are packed at both ends.
    const bool packed = choice.segments == 0;
    if (has_rules(request, {Rules::all_blocks})) return packed ? 2 * ranks : 0;
    return has_rules(request, {Rules::sum}) ? (packed ? 4 : 1) : (packed ? 3 : 2);
}

double messages_of_circulant(const Choice& choice, const Request& request) {
    const double segments = segments_of(choice), ranks = request.ranks();
    if (has_rules(request, {Rules::tree})) return ranks * segments;
    const double turns = has_rules(request, {Rules::sum}) ? 2 : 1;
    return turns * ranks *
           (choice.segments == 0 ? Circulant(request.ranks()).dimensions() : ranks * segments);
}

}  // namespace

constinit const PlannerFamily CirculantParameters::planner{
    .name = "circulant",
    .knows = knows_circulant,
    .plan = plan_circulant,
    .extent = extent_of_circulant,
    .messages = messages_of_circulant,
    .scratch = scratch_of_circulant,
};

}  // namespace eco
