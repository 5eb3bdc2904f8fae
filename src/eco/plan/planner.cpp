#include "eco/plan/planner.h"

#include <algorithm>

#include "eco/base/check.h"

namespace eco {

std::vector<Piece> pieces_of(std::vector<Rank> ranks, int segments) {
    std::sort(ranks.begin(), ranks.end());
    std::vector<Piece> pieces;
    for (const Rank rank : ranks)
        for (int segment = 0; segment < segments; ++segment)
            pieces.push_back(rank * segments + segment);
    return pieces;
}

std::vector<std::vector<Piece>> messages(const std::vector<Piece>& pieces, const Choice& choice) {
    std::vector<std::vector<Piece>> result;
    if (pieces.empty()) return result;
    if (choice.segments == 0) return {pieces};
    for (const Piece piece : pieces) result.push_back({piece});
    return result;
}

int most_segments(const Request& request) {
    constexpr int most = 64, most_pieces = 2048;
    if (traits(request.operation).blocks == Blocks::parts) return most;
    return std::clamp(most_pieces / request.ranks(), 1, most);
}

bool supports(const Choice& choice, const Request& request) {
    using enum Operation;
    const auto operation = base(request.operation);
    const auto any_of = [operation](std::initializer_list<Operation> operations) {
        return std::find(operations.begin(), operations.end(), operation) != operations.end();
    };
    const bool ordered = traits(operation).reduces && !request.commutative;
    // An innermost group's ranks need not be a range.
    if (choice.native_inside && (ordered || !any_of({bcast, barrier, reduce, allreduce})))
        return false;
    switch (choice.family) {
        case Family::native:
            return false;
        case Family::tree:
            if (choice.rotates() && operation == reduce_scatter) return !ordered;
            if (choice.rotates()) return any_of({bcast, reduce, allreduce, allgather});
            return any_of(
                {bcast, barrier, scatter, gather, allgather, reduce, allreduce, reduce_scatter});
        case Family::exchange:
            if (any_of({scan, exscan})) return !choice.split && choice.carriers == 0;
            // Of an alltoallv a carrier would not know the lengths.
            if (choice.carriers > 0)
                return !choice.rotates() && !choice.split &&
                       (request.operation == alltoall || any_of({gather, scatter}));
            if (choice.rotates()) return !ordered && operation == allreduce;
            // Blocks whose sizes only their two ends know cannot be put together on the way.
            return !ordered && (request.operation == alltoall ||
                                any_of({barrier, allgather, allreduce, reduce_scatter}));
        case Family::ring:
            return !ordered && any_of({allgather, allreduce, reduce_scatter});
        case Family::butterfly:
            if (operation == bcast) return true;
            return operation == reduce ? !ordered : any_of({barrier, allreduce, allgather});
        case Family::direct:
            return operation == alltoall;
        case Family::index:
            // Blocks whose sizes only their two ends know cannot be put together on the way.
            return request.operation == alltoall;
        case Family::ordered:
            return any_of({scan, exscan});
    }
    return false;
}

bool passes_blocks_on(const Choice& choice, const Hierarchy& hierarchy) {
    const bool in_a_row = choice.on_ranks || hierarchy.top.is_innermost();
    return choice.family != Family::tree || !in_a_row || choice.inner.shape != Shape::star ||
           choice.segments > 0 || choice.rails > 0;
}

static bool any_scan(Operation operation) {
    return operation == Operation::scan || operation == Operation::exscan;
}

Program plan(const Choice& choice, const Request& request, Rank me) {
    ECO_CHECK(supports(choice, request));
    const Hierarchy in_a_row = choice.on_ranks ? flat_hierarchy(request.ranks()) : Hierarchy{};
    Request seen = request;
    if (choice.on_ranks) seen.hierarchy = &in_a_row;
    switch (choice.family) {
        case Family::tree:
            return plan_tree(choice, seen, me);
        case Family::exchange:
            if (any_scan(request.operation)) return plan_scan(choice, seen, me);
            if (choice.carriers == 0) return plan_exchange(choice, seen, me);
            return traits(request.operation).rooted ? plan_rooted_carriers(choice, seen, me)
                                                    : plan_carriers(choice, seen, me);
        case Family::ring:
            return plan_ring(choice, seen, me);
        case Family::butterfly:
            return plan_butterfly(choice, seen, me);
        case Family::direct:
            return plan_direct(choice, seen, me);
        case Family::index:
            return plan_index(choice, seen, me);
        case Family::ordered:
            return plan_ordered(choice, seen, me);
        case Family::native:
            break;
    }
    ECO_CHECK(false);
    return {};
}

}  // namespace eco
