// Recursive doubling over the ranks in a row: the pattern of CHARMM's own collectives, which the
// paper compares with (ECO §6). A broadcast or reduce by it is a binomial tree. Where the number of
// ranks is no power of two, neighbours pair up first and one of each pair sits out.
#include <bit>

#include "eco/base/check.h"
#include "eco/plan/planner.h"

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
        switch (base(request_.operation)) {
            case Operation::barrier:
            case Operation::allreduce:
                allreduce();
                break;
            case Operation::allgather:
                allgather();
                break;
            default:
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
        const auto whole = all_pieces(1);
        if (sits_out()) {
            builder_.send(me_ + 1, input, whole);
            builder_.recv(me_ + 1, output, whole);
            return;
        }
        // What is sent must not change while it is under way: a bank for each step.
        Place sum = output;
        int bank = 0;
        builder_.copy(input, sum, whole);
        if (me_ < 2 * folded_) builder_.reduce(me_ - 1, sum, whole, true);
        for (int bit = 1; bit < core_; bit *= 2) {
            const int partner = number(me_) ^ bit;
            const Place next = bit * 2 == core_ ? output : scratch(bank++);
            if (bit == 1 && next == output) {
                builder_.copy(sum, scratch(bank), whole);
                sum = scratch(bank);
            }
            builder_.send(rank_of(partner), sum, whole);
            if (next != sum) builder_.copy(sum, next, whole);
            builder_.reduce(rank_of(partner), next, whole, partner < number(me_));
            sum = next;
        }
        if (me_ < 2 * folded_) builder_.send(me_ - 1, output, whole);
    }

    // The ranks whose blocks a core number holds once `bit` has been exchanged.
    std::vector<Piece> held(int number, int bit) const {
        std::vector<Rank> ranks;
        for (int other = number & ~(bit - 1); other < (number & ~(bit - 1)) + bit; ++other) {
            ranks.push_back(rank_of(other));
            if (other < folded_) ranks.push_back(rank_of(other) - 1);
        }
        return pieces_of(std::move(ranks), 1);
    }

    void allgather() {
        const auto every = all_pieces(request_.ranks());
        builder_.copy(input, output, pieces_of({me_}, 1));
        if (sits_out()) {
            std::vector<Piece> others = every;
            std::erase(others, me_);
            builder_.send(me_ + 1, output, pieces_of({me_}, 1));
            builder_.recv(me_ + 1, output, others);
            return;
        }
        if (me_ < 2 * folded_) builder_.recv(me_ - 1, output, pieces_of({me_ - 1}, 1));
        for (int bit = 1; bit < core_; bit *= 2) {
            const int partner = number(me_) ^ bit;
            builder_.send(rank_of(partner), output, held(number(me_), bit));
            builder_.recv(rank_of(partner), output, held(partner, bit));
        }
        if (me_ < 2 * folded_) {
            std::vector<Piece> others = every;
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

Program plan_butterfly(const Choice& choice, const Request& request, Rank me) {
    const auto operation = base(request.operation);
    if (operation == Operation::bcast || operation == Operation::reduce) {
        Choice binomial = choice;
        binomial.inner = {Shape::binomial};
        return plan_tree(binomial, request, me);
    }
    return Butterfly(request, me).run();
}

}  // namespace eco
