#include "eco/plan/tree.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <string_view>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/plan/disjoint_tree.h"

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
                "'" + text +
                    "' is no shape of a tree; there are star, chain, binomial, "
                    "balanced, relay, disjoint, k1, k2, k3 …, binomial2, binomial3 … and "
                    "postal1, postal2 …");
}

static std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool has_groups(const Group& group) {
    return std::any_of(group.parts.begin(), group.parts.end(),
                       [](const Group& part) { return !part.is_rank(); });
}

// Messages on a part's medium: on a bus one for each member but the root, and one for each that
// goes out; on a switch those of the port of the rank that speaks for it.
static std::vector<int> balanced_parents(const std::vector<Weight>& weights) {
    std::vector<int> parent(weights.size(), -1), messages;
    for (const Weight& weight : weights) messages.push_back(weight.shared ? weight.members : 1);
    if (weights[0].shared) messages[0] -= 1;
    const auto busy = [&](int part, int more) {
        return (messages[at(part)] + more) * weights[at(part)].crossing;
    };
    std::vector<int> order(weights.size() - 1), placed{0};
    std::iota(order.begin(), order.end(), 1);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return busy(a, 0) < busy(b, 0); });
    for (const int part : order) {
        const int best = *std::min_element(placed.begin(), placed.end(),
                                           [&](int a, int b) { return busy(a, 1) < busy(b, 1); });
        parent[at(part)] = best;
        messages[at(best)] += 1;
        placed.push_back(part);
    }
    return parent;
}

// Without the lowest digit that is not 0, to the base of k + 1.
static int ports_parent(int part, int k) {
    int unit = 1;
    while (part / unit % (k + 1) == 0) unit *= k + 1;
    return part - part / unit % (k + 1) * unit;
}

static std::vector<int> disjoint_parents(int parts, int piece) {
    const DisjointTree tree(parts, piece);
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

std::vector<int> parents(Form form, const std::vector<Weight>& weights, int piece) {
    const int parts = static_cast<int>(weights.size());
    if (form.shape == Shape::balanced) return balanced_parents(weights);
    if (form.shape == Shape::disjoint) return disjoint_parents(parts, piece);
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

Rank Speaker::of_group(const Group& group, Rank root) const {
    if (group.holds(root)) return root;
    if (!ranks || of == 1) return group.first();
    const int size = static_cast<int>(group.ranks.size());
    return group.ranks[at(of <= size ? turn * size / of : turn % size)];
}

Group innermost_speakers(const Group& group, Rank root) {
    Group found;
    if (group.is_innermost()) {
        found.ranks = {Speaker{}.of_group(group, root)};
        return found;
    }
    for (const Group& part : group.parts) {
        found.parts.push_back(innermost_speakers(part, root));
        const auto& ranks = found.parts.back().ranks;
        found.ranks.insert(found.ranks.end(), ranks.begin(), ranks.end());
    }
    return found;
}

// All parts but the root's, in the order in which the others send to them.
static std::vector<int> sending_order(Form form, int parts, int piece) {
    std::vector<int> order(at(parts - 1));
    std::iota(order.begin(), order.end(), 1);
    // Binomial trees send to the largest subtree, the last in order, first.
    if (form.shape == Shape::binomial || form.shape == Shape::ports)
        std::reverse(order.begin(), order.end());
    if (form.shape == Shape::disjoint) {
        const DisjointTree tree(parts, piece);
        std::vector<int> step(at(parts), 0);
        for (int part = 1; part < parts; ++part) step[at(part)] = tree.step_of(part);
        std::stable_sort(order.begin(), order.end(),
                         [&](int a, int b) { return step[at(a)] < step[at(b)]; });
    }
    return order;
}

// forms: between groups, level by level. only: edges of this rank alone are needed; -1: all.
static void hang(const Group& group, Rank root, std::span<const Form> forms, Form inner,
                 Speaker speaker, Rank only, Tree& tree) {
    if (group.is_rank()) return;
    const int parts = static_cast<int>(group.parts.size());
    int first = 0;
    while (first < parts && !group.parts[at(first)].holds(root)) ++first;
    ECO_CHECK(first < parts);
    std::vector<const Group*> order;
    std::vector<Weight> weights;
    const Form form = has_groups(group) ? forms.front() : inner;
    const int turn = form.shape == Shape::disjoint ? 0 : speaker.turn;
    for (int i = 0; i < parts; ++i) {
        const int next = i == 0 ? 0 : 1 + (i - 1 + turn) % (parts - 1);
        order.push_back(&group.parts[at((first + next) % parts)]);
        weights.push_back({static_cast<int>(order.back()->ranks.size()), order.back()->crossing,
                           order.back()->shared});
    }
    const auto parent = parents(form, weights, speaker.piece);
    for (const int part : sending_order(form, parts, speaker.piece)) {
        const Rank child = speaker.of_group(*order[at(part)], root);
        const Rank above = speaker.of_group(*order[at(parent[at(part)])], root);
        if (only >= 0 && child != only && above != only) continue;
        tree.parent[at(child)] = above;
        tree.children[at(above)].push_back(child);
    }
    const auto next = forms.size() > 1 ? forms.subspan(1) : forms;
    for (const Group* part : order)
        if (only < 0 || part->holds(only))
            hang(*part, speaker.of_group(*part, root), next, inner, speaker, only, tree);
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

void TreeOfOne::find(const Group& group, Rank root, Form top, Form inner, Speaker speaker,
                     const std::vector<Form>& below) {
    for (const Rank child : tree_.children[at(me_)]) tree_.parent[at(child)] = -1;
    tree_.children[at(me_)].clear();
    if (const Rank above = parent(); above >= 0) tree_.children[at(above)].clear();
    tree_.parent[at(me_)] = -1;
    hang(group, root, by_level(top, below), inner, speaker, me_, tree_);
}

Rank TreeOfOne::parent() const { return tree_.parent[at(me_)]; }
const std::vector<Rank>& TreeOfOne::children() const { return tree_.children[at(me_)]; }

Tree build_tree(const Group& group, int ranks, Rank root, Form top, Form inner, Speaker speaker,
                const std::vector<Form>& below) {
    Tree tree;
    tree.root = root;
    tree.parent.assign(at(ranks), -1);
    tree.children.resize(at(ranks));
    hang(group, root, by_level(top, below), inner, speaker, -1, tree);
    return tree;
}

Tree build_tree(const Hierarchy& hierarchy, Rank root, Form top, Form inner, Speaker speaker,
                const std::vector<Form>& below) {
    return build_tree(hierarchy.top, hierarchy.ranks(), root, top, inner, speaker, below);
}

std::vector<Rank> Tree::subtree(Rank rank) const {
    std::vector<Rank> ranks{rank};
    for (std::size_t i = 0; i < ranks.size(); ++i)
        ranks.insert(ranks.end(), children[at(ranks[i])].begin(), children[at(ranks[i])].end());
    return ranks;
}

}  // namespace eco
