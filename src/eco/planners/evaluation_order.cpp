// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/evaluation_order.h"

#include "eco/planners/planner.h"

namespace eco {

// Whether all elements of a message are combined along one tree: then it makes no difference where
// one segment ends and the next begins.
static bool has_one_tree(const Choice& choice, const Request& request) {
    // The library may take another algorithm for a longer segment.
    if (choice.rotates() || choice.native_inside()) return false;
    if (traits(request.operation).blocks != Blocks::parts) return true;
    const Hierarchy seen = seen_by(choice, *request.hierarchy);
    return distinct_trees(seen.top, choice.top(), choice.inner(), choice.below()) == 1;
}

// A multicast sum is made along a tree to the first rank, and then multicast.
Choice without_multicast(const Choice& choice) {
    const auto& sums = std::get<McastParameters>(choice.parameters);
    TreeParameters tree;
    tree.top = sums.top;
    tree.inner = sums.inner;
    return Choice(tree, choice.segments);
}

Choice evaluation_order(const Choice& choice, const Request& request) {
    Choice order = choice.is_mcast() ? without_multicast(choice) : choice;
    order.window = order.ports = order.rails = 0;
    switch (order.family()) {
        case Family::tree:
            if (has_one_tree(order, request)) order.segments = 0;
            break;
        case Family::ordered:
            order.segments = 0;
            break;
        case Family::exchange:
            // Shares of the message, or a leader for each segment.
            if (!order.split() && !order.rotates() && !order.native_inside()) order.segments = 0;
            break;
        case Family::native:
        case Family::ring:
        case Family::butterfly:
        case Family::direct:
        case Family::index:
        case Family::mcast:
        case Family::circulant:
            break;
    }
    return order;
}

bool same_evaluation_order(const Choice& a, const Choice& b, const Request& request) {
    if (a == b || !traits(request.operation).reduces()) return true;
    return evaluation_order(a, request) == evaluation_order(b, request);
}

}  // namespace eco
