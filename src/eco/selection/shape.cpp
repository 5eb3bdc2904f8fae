// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/shape.h"

#include <algorithm>
#include <cmath>

#include "eco/base/at.h"
#include "eco/selection/segment_length.h"

namespace eco {

namespace {

// Between ranks of one host, about.
const InterClusterCost inside_host{-1, 0, {5e-7, 1e-10}, {1e-6, 2e-10}};

constexpr Bytes segment_lengths[]{two_frames, six_frames, first_flight, large_segment};

// What a tree takes for a first message, and each further one after it.
struct Pace {
    Seconds first = 0, each = 0;
    Seconds of(int segments) const { return first + each * (segments - 1); }
};

Pace pace(Form form, const std::vector<Weight>& weights, Seconds busy, Seconds whole, bool bus) {
    const auto parent = parents(form, weights);
    const std::size_t parts = parent.size();
    // Those below each vertex in the order of sending, one list after the other.
    std::vector<int> sent(parts, 0), first_below(parts + 1, 0), below(parts, 0);
    for (std::size_t part = 1; part < parts; ++part) ++sent[at(parent[part])];
    for (std::size_t part = 0; part < parts; ++part)
        first_below[part + 1] = first_below[part] + sent[part];
    auto next = first_below;
    for (std::size_t i = 1; i < parts; ++i) {
        const std::size_t part = form.shape == Shape::binomial ? parts - i : i;
        below[at(next[at(parent[part])]++)] = static_cast<int>(part);
    }
    std::vector<Seconds> arrival(parts, 0);
    std::vector<std::size_t> order{0};
    Pace found;
    for (std::size_t known = 0; known < order.size(); ++known) {
        const std::size_t above = order[known];
        found.first = std::max(found.first, arrival[above]);
        for (int i = first_below[above]; i < first_below[above + 1]; ++i) {
            const std::size_t part = at(below[at(i)]);
            arrival[part] = arrival[above] + (i - first_below[above]) * busy + whole;
            order.push_back(part);
        }
    }
    const int messages = static_cast<int>(parts) - 1;
    const int most = bus ? messages : *std::max_element(sent.begin(), sent.end());
    found.each = most * busy;
    if (bus) found.first = std::max(found.first, (messages - 1) * busy + whole);
    return found;
}

// The groups that one form shapes: those at one depth that have groups inside, or those of single
// ranks, at any depth.
struct Level {
    std::vector<const Group*> groups;

    static bool is_bus(const Group& group) { return group.medium_known && group.shared; }

    // Buses of groups: what crosses them counts, whichever the order.
    bool joins_buses() const {
        return std::any_of(groups.begin(), groups.end(), [](const Group* group) {
            return std::any_of(group->parts.begin(), group->parts.end(), [](const Group& part) {
                return !part.is_rank() && !part.on_one_host && is_bus(part);
            });
        });
    }

    Pace pace(Form form, Bytes bytes) const {
        Pace slowest;
        for (const Group* group : groups) {
            const InterClusterCost& inter_cluster_cost =
                group->inter_cluster_cost ? *group->inter_cluster_cost : inside_host;
            std::vector<Weight> weights;
            for (const Group& part : group->parts)
                weights.push_back(
                    {static_cast<int>(part.ranks.size()), part.crossing, part.shared});
            const Pace own = eco::pace(form, weights, inter_cluster_cost.busy.of(bytes),
                                       inter_cluster_cost.whole.of(bytes), is_bus(*group));
            slowest.first = std::max(slowest.first, own.first);
            slowest.each = std::max(slowest.each, own.each);
        }
        return slowest;
    }

    // The first of equals: star, then postal, binomial, chain.
    Form best(Bytes bytes, int segments) const {
        if (joins_buses()) return {Shape::balanced};
        std::vector<Form> forms{{Shape::star}};
        for (const Group* group : groups) {
            const InterClusterCost& inter_cluster_cost =
                group->inter_cluster_cost ? *group->inter_cluster_cost : inside_host;
            const double delay =
                std::round(inter_cluster_cost.whole.of(bytes) / inter_cluster_cost.busy.of(bytes));
            const int k = static_cast<int>(std::clamp(delay, 1.0, 99.0));
            const Form postal{Shape::postal, k};
            if (k > 1 && k + 1 < static_cast<int>(group->parts.size()) &&
                std::find(forms.begin(), forms.end(), postal) == forms.end())
                forms.push_back(postal);
        }
        forms.push_back({Shape::binomial});
        forms.push_back({Shape::chain});
        std::vector<Seconds> times;
        for (const Form form : forms) times.push_back(pace(form, bytes).of(segments));
        const auto best = std::min_element(times.begin(), times.end(),
                                           [](Seconds a, Seconds b) { return a < 0.999 * b; });
        return forms[static_cast<std::size_t>(best - times.begin())];
    }
};

class Shaping {
public:
    Shaping(const Request& request, Bytes bytes)
        : request_(request), bytes_(std::max<Bytes>(bytes, 1)) {
        collect(request.hierarchy->top, 0);
    }

    bool is_known() const { return request_.hierarchy->top.inter_cluster_cost.has_value(); }

    Choice tree() const {
        return least([this](int segments) { return tree(segments); });
    }
    Choice exchange() const {
        return least([this](int segments) { return exchange(segments); });
    }

private:
    struct Timed {
        Choice choice;
        Seconds time;
    };

    void collect(const Group& group, std::size_t depth) {
        if (group.is_rank()) return;
        const bool nested = has_groups(group);
        if (nested && nested_.size() <= depth) nested_.resize(depth + 1);
        (nested ? nested_[depth] : inner_).groups.push_back(&group);
        for (const Group& part : group.parts) collect(part, depth + 1);
    }

    Bytes of_segment(int segments) const { return (bytes_ + segments - 1) / segments; }

    Timed tree(int segments) const {
        const Bytes bytes = of_segment(segments);
        TreeParameters shape;
        Pace all;
        const auto add = [&](const Level& level, Form& form) {
            form = level.best(bytes, segments);
            const Pace own = level.pace(form, bytes);
            all.first += own.first;
            all.each = std::max(all.each, own.each);
        };
        for (std::size_t depth = 0; depth < nested_.size(); ++depth)
            add(nested_[depth], depth == 0 ? shape.top : shape.below.emplace_back());
        if (!inner_.groups.empty()) add(inner_, shape.inner);
        auto& below = shape.below;
        while (!below.empty() &&
               below.back() == (below.size() > 1 ? below[below.size() - 2] : shape.top))
            below.pop_back();
        return {{shape, segments}, all.of(segments)};
    }

    // In and out again inside the widest groups, once across.
    Timed exchange(int segments) const {
        const Bytes bytes = of_segment(segments);
        Form inner;
        Pace all;
        if (!inner_.groups.empty()) inner = inner_.best(bytes, segments);
        const auto add = [&](const Level& level, Form form, int times) {
            const Pace own = level.pace(form, bytes);
            all.first += times * own.first;
            all.each = std::max(all.each, times * own.each);
        };
        for (std::size_t depth = 0; depth < nested_.size(); ++depth)
            add(nested_[depth], depth == 0 ? Form{Shape::star} : inner, depth == 0 ? 1 : 2);
        if (!inner_.groups.empty()) add(inner_, inner, 2);
        return {{ExchangeParameters{.inner = inner}, segments > 1 ? segments : 0},
                all.of(segments)};
    }

    template <typename WithSegments>
    Choice least(WithSegments with) const {
        Timed best = with(1);
        for (const Bytes length : segment_lengths) {
            const Bytes count =
                std::min<Bytes>((bytes_ + length - 1) / length, most_segments(request_));
            if (count < 2) continue;
            const Timed other = with(static_cast<int>(count));
            if (other.time < best.time) best = other;
        }
        if (best.choice.segments > 1 && bytes_ >= huge) best.choice.window = 2;
        return best.choice;
    }

    const Request& request_;
    Bytes bytes_;
    std::vector<Level> nested_;  // by depth
    Level inner_;
};

}  // namespace

Seconds time_along(Form form, int parts, int segments, Seconds busy, Seconds whole, bool bus) {
    return pace(form, std::vector<Weight>(at(parts)), busy, whole, bus).of(segments);
}

std::optional<Choice> shaped(const Request& request, Bytes bytes) {
    using enum Operation;
    const Shaping shaping(request, bytes);
    if (!shaping.is_known()) return std::nullopt;
    Choice choice;
    const Rules rules = traits(request.operation).rules;
    if (rules == Rules::tree)
        choice = shaping.tree();
    else if (rules == Rules::sum || rules == Rules::signal)
        choice = shaping.exchange();
    else
        return std::nullopt;
    if (!supports(choice, request, bytes)) return std::nullopt;
    return choice;
}

}  // namespace eco
