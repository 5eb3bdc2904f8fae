// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/evaluation_order.h"

#include "eco/planners/family.h"

namespace eco {

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
    auto* const combines_alike = planner_family(order).combines_alike;
    if (combines_alike && combines_alike(order, request)) order.segments = 0;
    return order;
}

bool same_evaluation_order(const Choice& a, const Choice& b, const Request& request) {
    if (a == b || !traits(request.operation).reduces()) return true;
    return evaluation_order(a, request) == evaluation_order(b, request);
}

}  // namespace eco
