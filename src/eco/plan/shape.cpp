#include "eco/plan/shape.h"

#include <algorithm>
#include <cmath>

namespace eco {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Between ranks of one host, about.
const Passage inside_host{-1, 0, {5e-7, 1e-10}, {1e-6, 2e-10}};

// Two frames, six, what TCP sends at once, what is long enough to wait for.
constexpr Bytes segment_lengths[]{2800, 8400, first_flight, 131072};
// From here on a segment is long enough that the next one may wait for it.
constexpr Bytes huge = 256 * 1024;

// What a tree takes for a first message, and each further one after it.
struct Pace {
    Seconds first = 0, each = 0;
    Seconds of(int segments) const { return first + each * (segments - 1); }
};

Pace pace(Form form, const std::vector<Weight>& weights, Seconds busy, Seconds whole, bool bus) {
    const auto parent = parents(form, weights);
    const std::size_t parts = parent.size();
    std::vector<int> sent(parent.size(), 0);
    std::vector<Seconds> arrival(parent.size(), -1);
    arrival[0] = 0;
    Pace found;
    // In the order of sending, as build_tree has it; parents may come after their children.
    for (std::size_t known = 1; known < parts;)
        for (std::size_t i = 1; i < parts; ++i) {
            const std::size_t part = form.shape == Shape::binomial ? parts - i : i;
            const std::size_t above = at(parent[part]);
            if (arrival[part] >= 0 || arrival[above] < 0) continue;
            arrival[part] = arrival[above] + sent[above]++ * busy + whole;
            found.first = std::max(found.first, arrival[part]);
            ++known;
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
            const Passage& passage = group->passage ? *group->passage : inside_host;
            std::vector<Weight> weights;
            for (const Group& part : group->parts)
                weights.push_back(
                    {static_cast<int>(part.ranks.size()), part.crossing, part.shared});
            const Pace own = eco::pace(form, weights, passage.busy.of(bytes),
                                       passage.whole.of(bytes), is_bus(*group));
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
            const Passage& passage = group->passage ? *group->passage : inside_host;
            const double delay = std::round(passage.whole.of(bytes) / passage.busy.of(bytes));
            const int k = static_cast<int>(std::clamp(delay, 1.0, 99.0));
            if (k > 1 && k + 1 < static_cast<int>(group->parts.size()))
                forms.push_back({Shape::postal, k});
        }
        forms.push_back({Shape::binomial});
        forms.push_back({Shape::chain});
        const auto time = [&](Form form) { return pace(form, bytes).of(segments); };
        return *std::min_element(forms.begin(), forms.end(),
                                 [&](Form a, Form b) { return time(a) < 0.999 * time(b); });
    }
};

class Shaping {
public:
    Shaping(const Request& request, Bytes bytes)
        : request_(request), bytes_(std::max<Bytes>(bytes, 1)) {
        collect(request.hierarchy->top, 0);
    }

    bool is_known() const { return request_.hierarchy->top.passage.has_value(); }

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
        Choice choice;
        choice.family = Family::tree;
        choice.segments = segments;
        Pace all;
        const auto add = [&](const Level& level, Form& form) {
            form = level.best(bytes, segments);
            const Pace own = level.pace(form, bytes);
            all.first += own.first;
            all.each = std::max(all.each, own.each);
        };
        for (std::size_t depth = 0; depth < nested_.size(); ++depth)
            add(nested_[depth], depth == 0 ? choice.top : choice.below.emplace_back());
        if (!inner_.groups.empty()) add(inner_, choice.inner);
        while (!choice.below.empty() &&
               choice.below.back() ==
                   (choice.below.size() > 1 ? choice.below[choice.below.size() - 2] : choice.top))
            choice.below.pop_back();
        return {choice, all.of(segments)};
    }

    // In and out again inside the widest groups, once across.
    Timed exchange(int segments) const {
        const Bytes bytes = of_segment(segments);
        Choice choice;
        choice.family = Family::exchange;
        choice.segments = segments > 1 ? segments : 0;
        Pace all;
        if (!inner_.groups.empty()) choice.inner = inner_.best(bytes, segments);
        const auto add = [&](const Level& level, Form form, int times) {
            const Pace own = level.pace(form, bytes);
            all.first += times * own.first;
            all.each = std::max(all.each, times * own.each);
        };
        for (std::size_t depth = 0; depth < nested_.size(); ++depth)
            add(nested_[depth], depth == 0 ? Form{Shape::star} : choice.inner, depth == 0 ? 1 : 2);
        if (!inner_.groups.empty()) add(inner_, choice.inner, 2);
        return {choice, all.of(segments)};
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
    switch (request.operation) {
        case bcast:
        case reduce:
            choice = shaping.tree();
            break;
        case barrier:
        case allreduce:
            choice = shaping.exchange();
            break;
        default:
            return std::nullopt;
    }
    if (!supports(choice, request)) return std::nullopt;
    return choice;
}

}  // namespace eco
