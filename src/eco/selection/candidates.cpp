// SPDX-License-Identifier: BSD-3-Clause
// Which choices are worth timing. What helps where:
// - trees: few crossings of slow links; segments let all levels work at once on long messages;
// - balanced: a bus carries each crossing one after the other, so none may get many more than
// others;
// - exchange: one crossing of the widest level each way instead of two one after the other;
// - native inside: shared memory and the like, which messages cannot reach;
// - ring: every link carries each byte once, for long messages to and from all;
// - circulant: on one switch, the fewest rounds.
#include "eco/selection/candidates.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "eco/base/log2.h"
#include "eco/planners/family.h"
#include "eco/planners/planner.h"
#include "eco/selection/segment_length.h"
#include "eco/selection/shape.h"

namespace eco {

static Choice tree(Shape top, Shape inner, int segments) {
    return {TreeParameters{.top = {top}, .inner = {inner}}, segments};
}

static Choice exchange(int segments = 0, Shape inner = Shape::star) {
    return {ExchangeParameters{.inner = {inner}}, segments};
}

static Choice native_inside(Choice choice) {
    choice.set_native_inside();
    return choice;
}

static Choice on_groups(Choice choice) {
    choice.on = On::groups;
    return choice;
}

// Whether some ranks stand beside others of their innermost group, but not all are in one.
static bool has_groups_inside(const Group& group) {
    if (group.is_innermost()) return false;
    return std::any_of(group.parts.begin(), group.parts.end(), [](const Group& part) {
        return part.is_innermost() ? !part.is_rank() : has_groups_inside(part);
    });
}

// One message for each pair of groups, and as many as both have ranks for.
static std::set<int> carrier_counts(const Group& top) {
    std::vector<int> sizes;
    for (const Group& part : top.parts) sizes.push_back(static_cast<int>(part.ranks.size()));
    if (sizes.size() < 2) return {};
    std::sort(sizes.rbegin(), sizes.rend());
    return {1, sizes[1]};
}

// Ranks of the largest group.
static int widest(const Group& top) {
    std::size_t most = 1;
    for (const Group& part : top.parts) most = std::max(most, part.ranks.size());
    return static_cast<int>(most);
}

// The largest group of single ranks on a switch; null: none, or too small for disjoint trees to be
// shorter than a chain.
static const Group* widest_switch(const Group& group) {
    const Group* widest = nullptr;
    if (!group.is_rank() && !has_groups(group) && !(group.medium_known && group.shared) &&
        group.parts.size() > 7)
        widest = &group;
    for (const Group& part : group.parts)
        if (const Group* inside = widest_switch(part);
            inside && (!widest || inside->parts.size() > widest->parts.size()))
            widest = inside;
    return widest;
}

// Segments for disjoint trees: each more costs an overhead, each longer one makes the steps longer
// in which the last of them passes through the group. In whole frames.
static Bytes even_length(const Group& group, Bytes bytes) {
    constexpr Bytes half_frame = 700;
    constexpr double headers = 100;
    double overhead = headers;
    if (group.inter_cluster_cost && group.inter_cluster_cost->busy.per_byte > 0)
        overhead = std::max(overhead, group.inter_cluster_cost->busy.fixed /
                                          group.inter_cluster_cost->busy.per_byte);
    const double steps = portable_log2(static_cast<double>(group.parts.size()));
    const double ideal = std::sqrt(static_cast<double>(bytes) * overhead / steps);
    Bytes length = half_frame;
    while (1.5 * static_cast<double>(length) < ideal) length *= 2;
    return length;
}

// From here on a message is worth cutting up between the hosts of one switch.
static constexpr Bytes taken_apart = 4096;
// Libraries send off at once what is shorter, so that a window would not hold it back.
static constexpr Bytes rendezvous = 64 * 1024;

// The same over rails, and what is made for several ports (Qian and Afsahi, §5).
static void add_rails(const Request& request, Bytes bytes, std::vector<Choice>& list) {
    using enum Operation;
    const int rails = request.hierarchy->rails;
    const auto operation = base(request.operation);
    std::vector<Choice> more = list;
    if (operation == gather || operation == scatter) {
        Choice ports = tree(Shape::star, Shape::ports, 0);
        ports.tree().inner.k = rails;
        ports.on = On::ranks;
        if (bytes >= 0 && bytes <= 4096) more.push_back(ports);
    }
    if (request.operation == alltoall && bytes <= 4096) {
        more.push_back(Choice(Family::index));
        more.back().ports = rails;
    }
    // Twice as many under way: where long ones stall on one rail or way, others fill it.
    for (const int window : {rails, 2 * rails})
        if (request.operation == alltoall && (window == rails || bytes >= huge)) {
            more.push_back(Choice(Family::direct));
            more.back().window = window;
        }
    std::erase_if(more, [&](const Choice& choice) {
        return choice.native_inside() || !supports(choice, request);
    });
    for (Choice& choice : more) {
        choice.rails = rails;
        list.push_back(choice);
    }
}

// By IP multicast; what is added up before can be in segments.
static void add_mcasts(const Request& request, int fine, std::vector<Choice>& list) {
    list.push_back(Choice(Family::mcast, 1));
    if (has_rules(request, {Rules::sum}) && fine > 1) list.push_back(Choice(Family::mcast, fine));
}

std::vector<Choice> candidates(const Request& request, Bytes bytes) {
    using enum Operation;
    const std::size_t groups = request.hierarchy->top.parts.size();
    const bool flat = groups == request.hierarchy->top.ranks.size();
    const auto chunks = [bytes, most = most_segments(request)](Bytes each) {
        return static_cast<int>(std::clamp<Bytes>((bytes + each - 1) / each, 1, most));
    };
    const int fine = chunks(two_frames), coarse = chunks(six_frames);
    const int large = std::min(16, chunks(large_segment));
    const Group& top = request.hierarchy->top;
    const bool inside = has_groups_inside(top);
    const bool one_switch = flat && groups > 2 && !(top.medium_known && top.shared);
    std::vector<Choice> list;
    // All at once, or each round's message after the one before.
    const auto add_circulants = [&] {
        if (!one_switch || bytes < 0) return;
        list.push_back(Choice(Family::circulant));
        list.push_back(list.back());
        list.back().ports = 1;
    };
    switch (traits(request.operation).rules) {
        case Rules::tree:
            list = {tree(Shape::balanced, Shape::star, fine), tree(Shape::star, Shape::star, 1)};
            if (fine > 1) list.push_back(tree(Shape::balanced, Shape::chain, fine));
            if (coarse > 1 && coarse != fine) {
                list.push_back(tree(Shape::balanced, Shape::star, coarse));
                list.push_back(tree(Shape::balanced, Shape::chain, coarse));
            }
            if (bytes >= huge) {
                list.push_back(tree(Shape::chain, Shape::chain, large));
                list.back().window = 2;
                list.push_back(tree(Shape::star, Shape::binomial, large));
                list.back().window = 2;
            }
            if (!flat && bytes >= first_flight) {
                list.push_back(tree(Shape::star, Shape::star, chunks(first_flight)));
                list.back().set_rotate(Rotate::all);
                // A chain inside: no rank's own link carries the message many times.
                if (bytes >= huge) {
                    list.push_back(tree(Shape::star, Shape::chain, chunks(first_flight)));
                    list.back().set_rotate(Rotate::all);
                }
                if (groups > 2) {
                    list.push_back(tree(Shape::relay, Shape::star, fine));
                    list.back().set_rotate(Rotate::all);
                    if (request.operation == reduce) list.back().window = 6;
                }
            }
            // Long enough that each half of the chunks goes out by way of another group, and that a
            // library does not send a chunk off before the one ahead of it is there.
            if (bytes >= huge && groups > 2) {
                list.push_back(tree(Shape::relay, Shape::binomial, chunks(rendezvous)));
                list.back().set_rotate(Rotate::groups);
                list.back().window = 2;
            }
            if (const Group* group = widest_switch(request.hierarchy->top);
                group && bytes >= taken_apart) {
                const Bytes length = even_length(*group, bytes);
                for (const Bytes each : {length, 4 * length})
                    if (chunks(each) > 1 && (each == length || chunks(each) < chunks(length)))
                        list.push_back(tree(Shape::balanced, Shape::disjoint, chunks(each)));
            }
            if (one_switch && bytes >= 0)
                list.push_back(Choice(Family::circulant, chunks(even_length(top, bytes))));
            // Sites that each have a link of their own: a chain sends every byte once over each.
            if (fine > 1 && groups > 2) list.push_back(tree(Shape::chain, Shape::chain, fine));
            list.push_back(tree(Shape::star, Shape::binomial, 1));
            // A root on a slow medium need not send to each of the wider groups itself.
            if (has_levels(*request.hierarchy))
                for (const int segments : {1, fine}) {
                    if (segments > 1)
                        list.push_back(on_groups(tree(Shape::balanced, Shape::chain, segments)));
                    list.push_back(on_groups(tree(Shape::balanced, Shape::star, segments)));
                }
            if (inside) list.push_back(native_inside(tree(Shape::balanced, {}, 1)));
            if (inside && groups > 2) list.push_back(native_inside(tree(Shape::binomial, {}, 1)));
            if (inside && fine > 1 && groups > 2)
                list.push_back(native_inside(tree(Shape::balanced, {}, fine)));
            break;
        case Rules::sum:
            list = {exchange(), tree(Shape::balanced, Shape::star, fine)};
            // Large groups: no leader takes in all messages of its group.
            if (!flat) list.push_back(exchange(0, Shape::binomial));
            if (inside) list.push_back(native_inside(exchange()));
            if (bytes >= 1024) list.push_back(Choice(Family::ring));
            add_circulants();
            if (fine > 1) {
                list.push_back(tree(Shape::balanced, Shape::chain, fine));
                if (has_levels(*request.hierarchy)) list.push_back(on_groups(list.back()));
                // A chain inside: no leader's own link carries more than the message.
                if (!flat) list.push_back(exchange(fine));
                if (!flat) list.push_back(exchange(fine, Shape::chain));
                if (!flat && bytes >= huge) {
                    list.push_back(exchange(large, Shape::chain));
                    list.back().window = 2;
                    list.push_back(exchange(large, Shape::binomial));
                    list.back().window = 2;
                    list.push_back(list.back());
                    list.back().exchange().split = true;
                }
                if (!flat && groups > 2) {
                    list.push_back(exchange(fine));
                    list.back().exchange().split = true;
                }
                if (!flat && bytes >= first_flight) {
                    list.push_back(exchange(chunks(first_flight)));
                    list.back().set_rotate(Rotate::all);
                    list.push_back(list.back());
                    list.back().exchange().split = true;
                }
            }
            break;
        case Rules::signal:
            list = {exchange(), tree(Shape::star, Shape::star, 1)};
            if (inside) list.push_back(native_inside(exchange()));
            break;
        case Rules::root_blocks: {
            list = {tree(Shape::star, Shape::star, 0)};
            if (bytes < 0 || bytes >= 1024) {
                Choice star = tree(Shape::star, Shape::star, 0);
                star.on = On::ranks;
                list.push_back(star);
            }
            const int most = widest(request.hierarchy->top);
            const auto add_carriers = [&](int carriers, int segments) {
                list.push_back(exchange());
                list.back().exchange().carriers = carriers;
                list.back().segments = segments;
            };
            if (!flat && bytes >= first_flight)
                add_carriers(most, std::max(std::min(most, fine), chunks(first_flight)));
            // Two cost short blocks hardly anything, four are better for long ones.
            for (const int few : {2, 4})
                if (!flat && bytes < 0 && most >= few) add_carriers(few, few);
            break;
        }
        case Rules::all_blocks:
            list = {exchange()};
            add_circulants();
            // Large groups: no leader hands all blocks to each of its group.
            if (!flat && widest(request.hierarchy->top) > 16)
                list.push_back(exchange(0, Shape::binomial));
            if (bytes >= 256) {
                list.push_back(Choice(Family::ring));
                list.push_back(tree(Shape::balanced, Shape::star, 1));
                list.push_back(tree(Shape::balanced, Shape::chain, fine));
                list.push_back(tree(Shape::balanced, Shape::star, 1));
                list.back().set_rotate(Rotate::all);
                // Of several sites each sends its blocks once, half of them to be passed on.
                if (!flat && groups > 2) {
                    list.push_back(tree(Shape::relay, Shape::star, 1));
                    list.back().set_rotate(Rotate::all);
                }
            }
            break;
        case Rules::sum_blocks:
            list = {exchange()};
            add_circulants();
            if (!flat && widest(request.hierarchy->top) > 16)
                list.push_back(exchange(0, Shape::binomial));
            if (bytes >= 256) list.push_back(Choice(Family::ring));
            break;
        case Rules::pairs:
            if (request.operation == alltoall && bytes <= 4096) list.push_back(exchange());
            if (request.operation == alltoall && !flat)
                for (const int carriers : carrier_counts(request.hierarchy->top)) {
                    list.push_back(exchange());
                    list.back().exchange().carriers = carriers;
                }
            list.push_back(Choice(Family::direct));
            if (bytes < 0 || bytes > 1024) {
                list.push_back(Choice(Family::direct));
                list.back().window = 1;
            }
            break;
        case Rules::prefix: {
            list = {Choice(Family::ordered, fine)};
            Choice chain = Choice(Family::ordered, fine);
            chain.on = On::ranks;
            if (!flat) list.push_back(chain);
            if (!flat) list.push_back(exchange());
            if (!flat && fine > 1) list.push_back(exchange(fine));
            if (!flat && bytes >= first_flight) {
                list.push_back(exchange(chunks(first_flight)));
                list.back().set_rotate(Rotate::all);
            }
            // Each site passes on what has arrived while the next part is under way.
            if (!flat && bytes >= huge) {
                list.push_back(Choice(Family::ordered, chunks(rendezvous * 11 / 8)));
                list.back().window = 3;
            }
            break;
        }
        case Rules::families:
            for (const PlannerFamily* family : planner_families())
                if (family->candidates)
                    for (Choice& choice : family->candidates(request, bytes))
                        list.push_back(std::move(choice));
            break;
        case Rules::listed:
            break;
    }
    add_mcasts(request, fine, list);
    if (const auto best = shaped(request, bytes);
        best && std::find(list.begin(), list.end(), *best) == list.end())
        list.push_back(*best);
    std::erase_if(list, [&](const Choice& choice) { return !supports(choice, request); });
    if (list.empty()) list.push_back(tree(Shape::star, Shape::star, 0));
    if (!supports(list.front(), request)) return {Choice{}};
    if (request.hierarchy->rails > 1) add_rails(request, bytes, list);
    return list;
}

}  // namespace eco
