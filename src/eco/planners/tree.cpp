// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/tree.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/base/written.h"
#include "eco/planners/disjoint_tree.h"

namespace eco {

std::string to_text(const Form& form) {
    switch (form.shape) {
        case Shape::star:
            return "star";
        case Shape::kary:
            return "k" + std::to_string(form.k);
        case Shape::chain:
            return "chain";
        case Shape::binomial:
            return "binomial";
        case Shape::ports:
            return "binomial" + std::to_string(form.k);
        case Shape::balanced:
            return "balanced";
        case Shape::postal:
            return "postal" + std::to_string(form.k);
        case Shape::relay:
            return "relay";
        case Shape::disjoint:
            return "disjoint";
    }
    return "";
}

Form parse_form(const std::string& text) {
    for (const Shape shape : {Shape::star, Shape::chain, Shape::binomial, Shape::balanced,
                              Shape::relay, Shape::disjoint})
        if (to_text({shape}) == text) return {shape};
    if (text.size() >= 2 && text.size() <= 4 && text[0] == 'k' &&
        text.find_first_not_of("0123456789", 1) == std::string::npos && text[1] != '0')
        return {Shape::kary, std::stoi(text.substr(1))};
    for (const auto& [name, shape] :
         {std::pair("postal", Shape::postal), std::pair("binomial", Shape::ports)}) {
        if (!text.starts_with(name)) continue;
        const std::string digits = text.substr(std::string_view(name).size());
        if (!digits.empty() && digits.size() <= 2 &&
            digits.find_first_not_of("0123456789") == std::string::npos && digits[0] != '0')
            return {shape, std::stoi(digits)};
    }
    throw Error(Code::usage,
                "'" + on_one_line(text) +
                    "' is an unknown tree shape; choose from star, chain, binomial, "
                    "balanced, relay, disjoint, k1, k2, k3 …, binomial2, binomial3 … and "
                    "postal1, postal2 …");
}

bool has_groups(const Group& group) {
    return std::any_of(group.parts.begin(), group.parts.end(),
                       [](const Group& part) { return part.ranks.size() > 1; });
}

// Messages on a part's medium: on a bus one for each member but the root, and one for each that
// goes out; on a switch those of the port of its leader.
static std::vector<int> balanced_parents(const std::vector<Weight>& weights) {
    std::vector<int> parent(weights.size(), -1), messages;
    for (const Weight& weight : weights) messages.push_back(weight.shared ? weight.members : 1);
    if (weights[0].shared) messages[0] -= 1;
    const auto busy = [&](int part, int more) {
        return (messages[at(part)] + more) * weights[at(part)].crossing;
    };
    std::vector<int> order(weights.size() - 1);
    std::iota(order.begin(), order.end(), 1);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return busy(a, 0) < busy(b, 0); });
    // By how busy one message more would make it, of equals the first that hangs there.
    std::set<std::tuple<double, int, int>> placed{{busy(0, 1), 0, 0}};
    for (int turn = 1; const int part : order) {
        const auto [time, place, best] = *placed.begin();
        placed.erase(placed.begin());
        parent[at(part)] = best;
        messages[at(best)] += 1;
        placed.insert({busy(best, 1), place, best});
        placed.insert({busy(part, 1), turn++, part});
    }
    return parent;
}

// Without the lowest digit that is not 0, to the base of k + 1.
static int ports_parent(int part, int k) {
    int unit = 1;
    while (part / unit % (k + 1) == 0) unit *= k + 1;
    return part - part / unit % (k + 1) * unit;
}

static std::vector<int> disjoint_parents(int parts, int chunk) {
    const DisjointTree tree(parts, chunk);
    std::vector<int> parent(at(parts), -1);
    for (int part = 1; part < parts; ++part) parent[at(part)] = tree.parent(part);
    return parent;
}

// Whoever can send soonest takes the next part.
static std::vector<int> postal_parents(int parts, int latency) {
    std::vector<int> parent(at(parts), -1);
    std::set<std::pair<int, int>> free_at{{0, 0}};  // time, part
    for (int part = 1; part < parts; ++part) {
        const auto [time, sender] = *free_at.begin();
        free_at.erase(free_at.begin());
        parent[at(part)] = sender;
        free_at.insert({time + 1, sender});
        free_at.insert({time + latency, part});
    }
    return parent;
}

std::vector<int> parents(Form form, const std::vector<Weight>& weights, int chunk) {
    const int parts = static_cast<int>(weights.size());
    if (form.shape == Shape::balanced) return balanced_parents(weights);
    if (form.shape == Shape::disjoint) return disjoint_parents(parts, chunk);
    if (form.shape == Shape::postal) return postal_parents(parts, form.k);
    std::vector<int> parent(weights.size(), -1);
    for (int part = 1; part < parts; ++part) switch (form.shape) {
            case Shape::star:
                parent[at(part)] = 0;
                break;
            case Shape::chain:
                parent[at(part)] = part - 1;
                break;
            case Shape::kary:
                parent[at(part)] = (part - 1) / form.k;
                break;
            case Shape::binomial:
                parent[at(part)] = part & (part - 1);
                break;
            case Shape::ports:
                parent[at(part)] = ports_parent(part, form.k);
                break;
            case Shape::relay:
                parent[at(part)] = part == 1 ? 0 : 1;
                break;
            case Shape::balanced:
            case Shape::postal:
            case Shape::disjoint:
                break;
        }
    return parent;
}

Rank LeaderRotation::of_group(const Group& group, Rank root) const {
    return group.holds(root) ? root : of_group(group);
}

Rank LeaderRotation::of_group(const Group& group) const {
    if (!ranks || of == 1) return group.first();
    const int size = static_cast<int>(group.ranks.size());
    return group.ranks[at(of <= size ? turn * size / of : turn % size)];
}

Group innermost_leaders(const Group& group, Rank root) {
    Group found;
    if (group.is_innermost()) {
        found.ranks = {LeaderRotation{}.of_group(group, root)};
        return found;
    }
    for (const Group& part : group.parts) {
        found.parts.push_back(innermost_leaders(part, root));
        const auto& ranks = found.parts.back().ranks;
        found.ranks.insert(found.ranks.end(), ranks.begin(), ranks.end());
    }
    return found;
}

Weight weight(const Group& part) {
    // What is one vertex, but no rank, takes a message in and hands it to all at once.
    const auto members = static_cast<int>(part.ranks.size());
    return {part.is_rank() ? std::min(members, 2) : members, part.crossing, part.shared};
}

std::vector<int> sending_order(Form form, int parts, int chunk) {
    std::vector<int> order(at(parts - 1));
    std::iota(order.begin(), order.end(), 1);
    // Binomial trees send to the largest subtree, the last in order, first.
    if (form.shape == Shape::binomial || form.shape == Shape::ports)
        std::reverse(order.begin(), order.end());
    if (form.shape == Shape::disjoint) {
        const DisjointTree tree(parts, chunk);
        std::vector<int> step(at(parts), 0);
        for (int part = 1; part < parts; ++part) step[at(part)] = tree.step_of(part);
        std::stable_sort(order.begin(), order.end(),
                         [&](int a, int b) { return step[at(a)] < step[at(b)]; });
    }
    return order;
}

// forms: between groups, level by level.
static void attach(const Group& group, Rank root, std::span<const Form> forms, Form inner,
                   LeaderRotation rotation, Tree& tree) {
    if (group.is_rank()) return;
    const int parts = static_cast<int>(group.parts.size());
    int first = 0;
    while (first < parts && !group.parts[at(first)].holds(root)) ++first;
    ECO_CHECK(first < parts);
    std::vector<const Group*> order;
    std::vector<Rank> leaders;
    std::vector<Weight> weights;
    const Form form = has_groups(group) ? forms.front() : inner;
    const int turn = form.shape == Shape::disjoint ? 0 : rotation.turn;
    for (int i = 0; i < parts; ++i) {
        const int next = i == 0 ? 0 : 1 + (i - 1 + turn) % (parts - 1);
        order.push_back(&group.parts[at((first + next) % parts)]);
        leaders.push_back(i == 0 ? root : rotation.of_group(*order.back()));
        weights.push_back(weight(*order.back()));
    }
    const auto parent = parents(form, weights, rotation.chunk);
    for (const int part : sending_order(form, parts, rotation.chunk)) {
        const Rank child = leaders[at(part)], above = leaders[at(parent[at(part)])];
        tree.parent[at(child)] = above;
        tree.children[at(above)].push_back(child);
    }
    const auto next = forms.size() > 1 ? forms.subspan(1) : forms;
    for (std::size_t part = 0; part < order.size(); ++part)
        attach(*order[part], leaders[part], next, inner, rotation, tree);
}

static std::vector<Form> by_level(Form top, const std::vector<Form>& below) {
    std::vector<Form> forms{top};
    forms.insert(forms.end(), below.begin(), below.end());
    return forms;
}

static int distinct_trees(const Group& group, std::span<const Form> forms, Form inner) {
    if (group.is_rank()) return 1;
    const int parts = static_cast<int>(group.parts.size());
    const Form form = has_groups(group) ? forms.front() : inner;
    int count = form.shape == Shape::disjoint ? std::max(1, DisjointTree(parts, 0).count()) : 1;
    const auto next = forms.size() > 1 ? forms.subspan(1) : forms;
    for (const Group& part : group.parts)
        count = std::lcm(count, distinct_trees(part, next, inner));
    return count;
}

int distinct_trees(const Group& group, Form top, Form inner, const std::vector<Form>& below) {
    return distinct_trees(group, by_level(top, below), inner);
}

Tree build_tree(const Group& group, int ranks, Rank root, Form top, Form inner,
                LeaderRotation rotation, const std::vector<Form>& below) {
    Tree tree;
    tree.root = root;
    tree.parent.assign(at(ranks), -1);
    tree.children.resize(at(ranks));
    attach(group, root, by_level(top, below), inner, rotation, tree);
    return tree;
}

Tree build_tree(const Hierarchy& hierarchy, Rank root, Form top, Form inner,
                LeaderRotation rotation, const std::vector<Form>& below) {
    return build_tree(hierarchy.top, hierarchy.ranks(), root, top, inner, rotation, below);
}

std::vector<Rank> Tree::subtree(Rank rank) const {
    std::vector<Rank> ranks{rank};
    for (std::size_t i = 0; i < ranks.size(); ++i)
        ranks.insert(ranks.end(), children[at(ranks[i])].begin(), children[at(ranks[i])].end());
    return ranks;
}

}  // namespace eco
