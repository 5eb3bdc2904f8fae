// Collectives around the ring of near neighbours (ECO §6.2): every link carries each block once,
// and all links work at once.
#include "eco/base/check.h"
#include "eco/plan/planner.h"

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
        switch (base(request_.operation)) {
            case Operation::allgather:
                builder_.copy(input, output, block(place_));
                circulate();
                break;
            case Operation::reduce_scatter:
                accumulate(scratch(0));
                builder_.copy(scratch(0), output, block(place_));
                break;
            case Operation::allreduce:
                accumulate(output);
                circulate();
                break;
            default:
                ECO_CHECK(false);
        }
        return builder_.finish();
    }

private:
    int wrap(int place) const { return ((place % ranks_) + ranks_) % ranks_; }
    Rank rank_at(int place) const { return order_[static_cast<std::size_t>(wrap(place))]; }

    // The block that ends at the rank of this place; of a message in parts any numbering does.
    std::vector<Piece> block(int place) const {
        return pieces_of(
            {request_.operation == Operation::allreduce ? wrap(place) : rank_at(place)}, segments_);
    }

    // Each block starts at the place after its own and is complete when it arrives there.
    void accumulate(Place sum) {
        for (int step = 0; step + 1 < ranks_; ++step) {
            const auto leaving = block(place_ - 1 - step), coming = block(place_ - 2 - step);
            for (const Piece piece : leaving)
                builder_.send(rank_at(place_ + 1), step == 0 ? input : sum, {&piece, 1});
            for (const Piece piece : coming) {
                builder_.copy(input, sum, {&piece, 1});
                builder_.reduce(rank_at(place_ - 1), sum, {&piece, 1});
            }
        }
        if (ranks_ == 1) builder_.copy(input, sum, block(place_));
    }

    void circulate() {
        for (int step = 0; step + 1 < ranks_; ++step) {
            for (const Piece piece : block(place_ - step))
                builder_.send(rank_at(place_ + 1), output, {&piece, 1});
            for (const Piece piece : block(place_ - 1 - step))
                builder_.recv(rank_at(place_ - 1), output, {&piece, 1});
        }
    }

    const Request& request_;
    const std::vector<Rank>& order_;
    int ranks_, segments_;
    int place_ = 0;
    Builder builder_;
};

}  // namespace

Program plan_ring(const Choice& choice, const Request& request, Rank me) {
    return RingPlanner(choice, request, me).run();
}

}  // namespace eco
