// SPDX-License-Identifier: BSD-3-Clause
// Collectives around the ring of near neighbours (ECO §6.2): every link carries each block once,
// and all links work at once.
#include "eco/base/check.h"
#include "eco/planners/family.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

class RingPlanner {
public:
    RingPlanner(const Choice& choice, const Request& request, Rank me)
        : request_(request),
          order_(request.hierarchy->ring),
          ranks_(request.ranks()),
          segments_(segments_of(choice)),
          builder_(request,
                   request.operation == Operation::allreduce ? ranks_ * segments_ : segments_,
                   choice.window) {
        while (order_[static_cast<std::size_t>(place_)] != me) ++place_;
    }

    Program run() {
        switch (traits(request_.operation).rules) {
            case Rules::all_blocks:
                builder_.copy(input, output, block(place_));
                circulate();
                break;
            case Rules::sum_blocks:
                accumulate(scratch(0));
                builder_.copy(scratch(0), output, block(place_));
                break;
            case Rules::sum:
                accumulate(output);
                circulate();
                break;
            case Rules::tree:
            case Rules::signal:
            case Rules::root_blocks:
            case Rules::pairs:
            case Rules::prefix:
            case Rules::listed:
                ECO_CHECK(false);
        }
        return builder_.finish();
    }

private:
    int wrap(int place) const { return ((place % ranks_) + ranks_) % ranks_; }
    Rank rank_at(int place) const { return order_[static_cast<std::size_t>(wrap(place))]; }

    // The block that ends at the rank of this place; of a message in parts any numbering does.
    std::vector<Chunk> block(int place) const {
        return chunks_of(
            {request_.operation == Operation::allreduce ? wrap(place) : rank_at(place)}, segments_);
    }

    // Each block starts at the place after its own and is complete when it arrives there.
    void accumulate(Buffer sum) {
        for (int step = 0; step + 1 < ranks_; ++step) {
            const auto leaving = block(place_ - 1 - step), coming = block(place_ - 2 - step);
            for (const Chunk chunk : leaving)
                builder_.send(rank_at(place_ + 1), step == 0 ? input : sum, {&chunk, 1});
            for (const Chunk chunk : coming) {
                builder_.copy(input, sum, {&chunk, 1});
                builder_.reduce(rank_at(place_ - 1), sum, {&chunk, 1});
            }
        }
        if (ranks_ == 1) builder_.copy(input, sum, block(place_));
    }

    void circulate() {
        for (int step = 0; step + 1 < ranks_; ++step) {
            for (const Chunk chunk : block(place_ - step))
                builder_.send(rank_at(place_ + 1), output, {&chunk, 1});
            for (const Chunk chunk : block(place_ - 1 - step))
                builder_.recv(rank_at(place_ - 1), output, {&chunk, 1});
        }
    }

    const Request& request_;
    const std::vector<Rank>& order_;
    int ranks_, segments_;
    int place_ = 0;
    Builder builder_;
};

}  // namespace

static Program plan_ring(const Choice& choice, const Request& request, Rank me) {
    return RingPlanner(choice, request, me).run();
}

constinit const PlannerFamily RingParameters::planner{
    .name = "ring",
    .knows =
        [](const Choice&, const Request& request) {
            return !keeps_order(request) &&
                   has_rules(request, {Rules::all_blocks, Rules::sum, Rules::sum_blocks});
        },
    .plan = plan_ring,
    .extent = extent_of_ring,
    .messages =
        [](const Choice& choice, const Request& request) {
            const double ranks = request.ranks();
            return 2 * ranks * ranks * segments_of(choice);
        },
    .scratch = scratch_of_ring,
};

}  // namespace eco
