// SPDX-License-Identifier: BSD-3-Clause
// Scatter and gather between the root's group and ranks far from it, over many connections at once:
// chunks of what is for a far rank, or comes from it, go by way of the root's neighbours, the
// carriers, and from there straight to it. TCP sends only so much at once on a connection that was
// quiet (planner.h: first_flight); a slow link between sites is so crossed over as many as there
// are pairs of carriers and far ranks, not over one for each far rank. Each byte crosses it once.
#include <algorithm>

#include "eco/base/check.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

class RootedCarrierPlanner {
public:
    RootedCarrierPlanner(const Choice& choice, const Request& request, Rank me)
        : request_(request),
          me_(me),
          segments_(segments_of(choice)),
          builder_(request, segments_, choice.window) {
        const Group& top = request.hierarchy->top;
        const auto home = std::find_if(top.parts.begin(), top.parts.end(),
                                       [&](const Group& part) { return part.holds(request.root); });
        home_ = home == top.parts.end() ? top.ranks : home->ranks;
        // The root carries as well: what it sends itself need not wait for anybody.
        std::rotate(home_.begin(), std::find(home_.begin(), home_.end(), request.root),
                    home_.end());
        carriers_ = std::min(choice.carriers(), static_cast<int>(home_.size()));
        for (const Rank rank : top.ranks)
            if (std::find(home_.begin(), home_.end(), rank) == home_.end()) far_.push_back(rank);
    }

    Program run() {
        base(request_.operation) == Operation::scatter ? scatter() : gather();
        return builder_.finish();
    }

private:
    bool is_root() const { return me_ == request_.root; }

    // what(far rank, carrier, chunk) for all that crosses, in the same order at all ranks.
    template <typename What>
    void across(What&& what) {
        int turn = 0;
        for (const Rank far : far_)
            for (const Chunk chunk : chunks_of({far}, segments_))
                what(far, home_[static_cast<std::size_t>(turn++ % carriers_)],
                     std::vector<Chunk>{chunk});
    }
    template <typename What>
    void inside(What&& what) {
        for (const Rank rank : home_)
            if (rank != request_.root && (is_root() || rank == me_))
                what(rank, chunks_of({rank}, segments_));
    }

    // What crosses first: it is longest under way.
    void scatter() {
        across([this](Rank far, Rank carrier, const std::vector<Chunk>& chunk) {
            const bool from_root = carrier == request_.root;
            if (is_root()) builder_.send(from_root ? far : carrier, input, chunk);
            if (me_ == carrier && !from_root) {
                builder_.recv(request_.root, scratch(0), chunk);
                builder_.send(far, scratch(0), chunk);
            }
            if (me_ == far) builder_.recv(carrier, output, chunk);
        });
        inside([this](Rank rank, const std::vector<Chunk>& block) {
            is_root() ? builder_.send(rank, input, block)
                      : builder_.recv(request_.root, output, block);
        });
        if (is_root()) builder_.copy(input, output, chunks_of({me_}, segments_));
    }

    void gather() {
        if (is_root()) builder_.copy(input, output, chunks_of({me_}, segments_));
        inside([this](Rank rank, const std::vector<Chunk>& block) {
            is_root() ? builder_.recv(rank, output, block)
                      : builder_.send(request_.root, input, block);
        });
        across([this](Rank far, Rank carrier, const std::vector<Chunk>& chunk) {
            const bool to_root = carrier == request_.root;
            if (me_ == far) builder_.send(carrier, input, chunk);
            if (me_ == carrier && !to_root) {
                builder_.recv(far, scratch(0), chunk);
                builder_.send(request_.root, scratch(0), chunk);
            }
            if (is_root()) builder_.recv(to_root ? far : carrier, output, chunk);
        });
    }

    const Request& request_;
    Rank me_;
    int segments_, carriers_ = 1;
    std::vector<Rank> home_, far_;  // the root's group, the root first; all others
    Builder builder_;
};

}  // namespace

Program plan_rooted_carriers(const Choice& choice, const Request& request, Rank me) {
    return RootedCarrierPlanner(choice, request, me).run();
}

}  // namespace eco
