// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling over the contiguous ranks: the pattern of CHARMM's own collectives, which the
// paper compares with (ECO §6). A broadcast or reduce by it is a binomial tree. Where the number of
// ranks is no power of two, neighbours pair up first and one of each pair sits out.
#include <bit>

#include "eco/base/check.h"
#include "eco/base/log2.h"
#include "eco/planners/family.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

class Butterfly {
public:
    Butterfly(const Request& request, Rank me)
        : request_(request),
          me_(me),
          core_(static_cast<int>(std::bit_floor(static_cast<unsigned>(request.ranks())))),
          folded_(request.ranks() - core_),
          builder_(request, 1) {}

    Program run() {
        switch (traits(request_.operation).rules) {
            case Rules::signal:
            case Rules::sum:
                allreduce();
                break;
            case Rules::all_blocks:
                allgather();
                break;
            case Rules::tree:
            case Rules::root_blocks:
            case Rules::sum_blocks:
            case Rules::pairs:
            case Rules::prefix:
            case Rules::listed:
                ECO_CHECK(false);
        }
        return builder_.finish();
    }

private:
    // Of the first 2·folded ranks the even ones hand over to the odd ones.
    bool sits_out() const { return me_ < 2 * folded_ && me_ % 2 == 0; }
    int number(Rank rank) const { return rank < 2 * folded_ ? rank / 2 : rank - folded_; }
    Rank rank_of(int number) const { return number < folded_ ? 2 * number + 1 : number + folded_; }

    void allreduce() {
        const auto whole = all_chunks(1);
        if (sits_out()) {
            builder_.send(me_ + 1, input, whole);
            builder_.recv(me_ + 1, output, whole);
            return;
        }
        // What is sent must not change while it is under way: a bank for each step.
        int bank = 0;
        Buffer sum = input;
        if (core_ == 1) builder_.copy(input, output, whole);
        if (me_ < 2 * folded_) {
            sum = scratch(bank++);
            builder_.copy(input, sum, whole);
            builder_.reduce(me_ - 1, sum, whole, true);
        }
        for (int bit = 1; bit < core_; bit *= 2) {
            const int partner = number(me_) ^ bit;
            const bool is_last = bit * 2 == core_;
            if (is_last && sum == input) {
                sum = scratch(bank++);
                builder_.copy(input, sum, whole);
            }
            const Buffer next = is_last ? output : scratch(bank++);
            builder_.send(rank_of(partner), sum, whole);
            add_partner(partner, sum, next);
            sum = next;
        }
        if (me_ < 2 * folded_) builder_.send(me_ - 1, output, whole);
    }

    // Both partners combine their sums, each by itself: at both that of the lower number stands
    // first, so that all ranks get the same bits.
    void add_partner(int partner, Buffer sum, Buffer next) {
        const auto whole = all_chunks(1);
        if (partner < number(me_)) {
            builder_.copy(sum, next, whole);
            builder_.reduce(rank_of(partner), next, whole, true);
        } else {
            builder_.recv(rank_of(partner), next, whole);
            builder_.combine(sum, next, whole, true);
        }
    }

    // The ranks whose blocks a core number holds once `bit` has been exchanged.
    std::vector<Chunk> held(int number, int bit) const {
        std::vector<Rank> ranks;
        for (int other = number & ~(bit - 1); other < (number & ~(bit - 1)) + bit; ++other) {
            ranks.push_back(rank_of(other));
            if (other < folded_) ranks.push_back(rank_of(other) - 1);
        }
        return chunks_of(std::move(ranks), 1);
    }

    void allgather() {
        const auto every = all_chunks(request_.ranks());
        builder_.copy(input, output, chunks_of({me_}, 1));
        if (sits_out()) {
            std::vector<Chunk> others = every;
            std::erase(others, me_);
            builder_.send(me_ + 1, output, chunks_of({me_}, 1));
            builder_.recv(me_ + 1, output, others);
            return;
        }
        if (me_ < 2 * folded_) builder_.recv(me_ - 1, output, chunks_of({me_ - 1}, 1));
        for (int bit = 1; bit < core_; bit *= 2) {
            const int partner = number(me_) ^ bit;
            builder_.send(rank_of(partner), output, held(number(me_), bit));
            builder_.recv(rank_of(partner), output, held(partner, bit));
        }
        if (me_ < 2 * folded_) {
            std::vector<Chunk> others = every;
            std::erase(others, me_ - 1);
            builder_.send(me_ - 1, output, others);
        }
    }

    const Request& request_;
    Rank me_;
    int core_, folded_;
    Builder builder_;
};

}  // namespace

static Program plan_butterfly(const Choice& choice, const Request& request, Rank me) {
    if (has_rules(request, {Rules::tree})) {
        Choice binomial = choice;
        binomial.parameters = TreeParameters{.inner = {Shape::binomial}};
        return plan_tree(binomial, request, me);
    }
    return Butterfly(request, me).run();
}

constinit const PlannerFamily ButterflyParameters::planner{
    .name = "butterfly",
    .knows =
        [](const Choice&, const Request& request) {
            if (has_rules(request, {Rules::tree})) return !keeps_order(request);
            return has_rules(request, {Rules::signal, Rules::sum, Rules::all_blocks});
        },
    .plan = plan_butterfly,
    .extent = extent_of_butterfly,
    .messages =
        [](const Choice&, const Request& request) {
            const double ranks = request.ranks();
            return ranks * portable_log2(ranks + 1);
        },
    .scratch = scratch_of_butterfly,
};

}  // namespace eco
