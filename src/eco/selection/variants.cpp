// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/variants.h"

#include <algorithm>
#include <cmath>

#include "eco/base/log2.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/family.h"
#include "eco/planners/planner.h"
#include "eco/selection/segment_length.h"
#include "eco/selection/straight.h"

namespace eco {

namespace {

constexpr Bytes lengths[] = {two_frames, six_frames, first_flight, 32768, large_segment};
// Half a frame, and one: where few segments would keep most of a long chain waiting.
constexpr Bytes fine_lengths[] = {700, 1400};
constexpr Bytes most_fine = 65536;
constexpr Bytes one_frame = 1400;
constexpr Bytes usual_length = two_frames;
// Enough to tell forms apart.
constexpr int most_usual = 16;

int segments_of_length(Bytes bytes, Bytes length, const Request& request) {
    return static_cast<int>(
        std::clamp<Bytes>((bytes + length - 1) / length, 1, most_segments(request)));
}

// The widest group of single ranks, and the widest of groups.
struct Widths {
    std::size_t inner = 0, top = 0;
};

void look_at(const Group& group, Widths& widths) {
    if (group.is_rank()) return;
    std::size_t& width = has_groups(group) ? widths.top : widths.inner;
    width = std::max(width, group.parts.size());
    for (const Group& part : group.parts) look_at(part, widths);
}

std::vector<Form> shapes(std::size_t parts, std::initializer_list<Form> more) {
    std::vector<Form> list{{Shape::star}};
    // Two parts hang together in one way only.
    if (parts > 2) list.insert(list.end(), more);
    return list;
}

class Forms {
public:
    Forms(const Request& request, Bytes bytes) : request_(request), bytes_(bytes) {
        look_at(request.hierarchy->top, widths_);
        tops_ = shapes(widths_.top, {{Shape::balanced}, {Shape::chain}, {Shape::binomial}});
        inners_ = shapes(widths_.inner, {{Shape::chain}, {Shape::binomial}, {Shape::kary, 2}});
        // With fewer a chain is as short.
        if (widths_.inner > 7) inners_.push_back({Shape::disjoint});
    }

    std::vector<Choice> run() {
        const bool blocks = traits(request_.operation).blocks != Blocks::parts;
        usual_ =
            blocks ? 0 : std::min(most_usual, segments_of_length(bytes_, usual_length, request_));
        switch (traits(request_.operation).rules) {
            case Rules::tree:
                trees();
                circulants();
                break;
            case Rules::sum:
                exchanges();
                trees();
                add(Family::ring);
                circulants();
                break;
            case Rules::signal:
                exchanges();
                trees();
                break;
            case Rules::all_blocks:
                exchanges();
                add(Family::ring);
                circulants();
                usual_ = 1;
                trees();
                break;
            case Rules::root_blocks:
                trees();
                add(Family::tree).on = On::ranks;
                break;
            case Rules::sum_blocks:
                exchanges();
                add(Family::ring);
                circulants();
                trees();
                break;
            case Rules::pairs:
                add(Family::exchange);
                add(Family::direct);
                break;
            case Rules::prefix:
                add(Family::ordered, usual_);
                add(list_.back()).on = On::ranks;
                if (may_rotate()) {
                    add(Family::exchange, usual_).set_rotate(Rotate::all);
                }
                break;
            case Rules::listed:
                break;
        }
        mcasts();
        std::erase_if(list_,
                      [this](const Choice& choice) { return !supports(choice, request_, bytes_); });
        for (const Choice& choice : candidates_of_families(request_, bytes_))
            if (std::find(list_.begin(), list_.end(), choice) == list_.end()) add(choice);
        return std::move(list_);
    }

private:
    Choice& add(const Choice& choice) { return list_.emplace_back(Choice(choice)); }
    Choice& add(Family family, int segments = 0) { return add(Choice(family, segments)); }

    bool flat() const { return widths_.top == 0; }
    // With other ranks to lead the groups each segment, or each block.
    bool may_rotate() const {
        const Operation operation = base(request_.operation);
        return !flat() && (operation == Operation::allgather ||
                           operation == Operation::reduce_scatter || usual_ > 1);
    }

    void trees() {
        for (const Form& top : tops_)
            for (const Form& inner : inners_)
                add({TreeParameters{.top = top, .inner = inner}, usual_});
        if (has_levels(*request_.hierarchy))
            for (const Form& inner : inners_)
                add({TreeParameters{.top = {Shape::balanced}, .inner = inner}, usual_}).on =
                    On::groups;
        // No rank sends or receives more than once.
        if (!flat() && usual_ > 1)
            add({TreeParameters{.inner = {Shape::chain}}, usual_}).on = On::ring;
        if (!may_rotate()) return;
        auto tops = tops_;
        if (widths_.top > 2) tops.push_back({Shape::relay});
        for (const Form& top : tops)
            for (const auto rotate : {Rotate::groups, Rotate::all})
                add({TreeParameters{.top = top, .rotate = rotate}, usual_});
        for (const int share : straight_shares(request_, bytes_))
            for (const auto rotate : {Rotate::groups, Rotate::all})
                add({TreeParameters{.top = {Shape::relay}, .rotate = rotate, .straight = share},
                     usual_});
    }

    void exchanges() {
        const bool in_parts = request_.operation == Operation::allreduce && usual_ > 1;
        for (const Form& inner : inners_) {
            add({ExchangeParameters{.inner = inner}, usual_});
            if (flat()) break;
            if (in_parts && widths_.top > 2)
                add({ExchangeParameters{.inner = inner, .split = true}, usual_});
        }
        if (!in_parts || !may_rotate()) return;
        for (const bool split : {false, true})
            for (const auto rotate : {Rotate::groups, Rotate::all})
                add({ExchangeParameters{.rotate = rotate, .split = split}, usual_});
    }

    // Sums go up a tree of few shapes; the multicast follows them. Between areas messages have
    // more, but not blocks: where they go on from area to area they are slower than predicted.
    void mcasts() {
        add(Family::mcast, 1);
        const auto add_tree = [&](const Form& top, const Form& inner) {
            const bool is_first = usual_ <= 1 && top == Form{} && inner == Form{};
            if (!is_first) add({McastParameters{.top = top, .inner = inner}, std::max(1, usual_)});
        };
        const Group& top = request_.hierarchy->top;
        if (has_rules(request_, {Rules::sum})) {
            for (const Form& form : shapes(widths_.top, {{Shape::balanced}}))
                for (const Form& inner : shapes(widths_.inner, {{Shape::chain}, {Shape::kary, 2}}))
                    add_tree(form, inner);
        } else if (has_mcast(top) && !is_reached(top) && has_rules(request_, {Rules::tree})) {
            for (const Form& form : tops_) add_tree(form, {});
        }
    }

    // They see no groups, and two ranks have one way only.
    void circulants() {
        if (!flat() || request_.ranks() < 3) return;
        add(Family::circulant, has_rules(request_, {Rules::tree}) ? usual_ : 0);
    }

    const Request& request_;
    Bytes bytes_;
    Widths widths_;
    std::vector<Form> tops_, inners_;
    int usual_ = 0;
    std::vector<Choice> list_;
};

}  // namespace

std::vector<Choice> forms(const Request& request, Bytes bytes) {
    return Forms(request, bytes).run();
}

std::vector<Choice> paces(const Choice& form, const Request& request, Bytes bytes) {
    std::vector<Choice> list{form};
    const auto add = [&](int segments, int window) {
        Choice choice = form;
        choice.segments = segments;
        choice.window = window;
        if (std::find(list.begin(), list.end(), choice) == list.end()) list.push_back(choice);
    };
    if (form.family() == Family::direct) {
        for (const int window : {1, 2, 4}) add(form.segments, window);
        return list;
    }
    if (base(request.operation) == Operation::barrier) return list;
    // Datagrams follow each other whatever the message; only what is added up, or passed on
    // between areas, comes in segments. Blocks of many ranks follow each other without that.
    if (form.is_mcast() && !has_rules(request, {Rules::sum}) &&
        (is_reached(request.hierarchy->top) || has_rules(request, {Rules::all_blocks})))
        return list;
    // The blocks of a round in one message; the next round's may wait for it.
    if (form.family() == Family::circulant && !has_rules(request, {Rules::tree})) {
        list.push_back(form);
        list.back().ports = 1;
        return list;
    }
    const bool blocks = traits(request.operation).blocks != Blocks::parts;
    // All blocks of a way in one message, or one message each.
    if (blocks) add(0, 0);
    if (form.family() == Family::ring && !blocks) return list;
    add(1, 0);
    const bool grows = blocks && form.family() != Family::tree;
    if (!grows && bytes <= most_fine)
        for (const Bytes length : fine_lengths) add(segments_of_length(bytes, length, request), 0);
    if (!grows)
        for (const Bytes length : lengths) {
            const int segments = segments_of_length(bytes, length, request);
            add(segments, 0);
            // What is reduced comes from all sides at once.
            if (form.rotates() && request.operation == Operation::reduce && segments > 6)
                add(segments, 6);
        }
    // Who passes on what goes over two slow links one after the other waits for short segments.
    if (!grows && form.rotates()) {
        const int segments = segments_of_length(bytes, one_frame, request);
        add(segments, 0);
        if (request.operation == Operation::reduce && segments > 6) add(segments, 6);
    }
    std::erase_if(list, [&](const Choice& choice) { return !supports(choice, request, bytes); });
    return list;
}

std::vector<Choice> baseline(const Request& request) {
    std::vector<Choice> list;
    for (const char* name : {"binomial", "butterfly", "ring", "star", "direct", "ordered"}) {
        Choice choice = parse_choice(name);
        choice.on = On::ranks;
        // A star is what libraries do for blocks; sums and copies they pass on.
        const bool blocks = traits(request.operation).blocks != Blocks::parts;
        if (choice.family() == Family::tree && choice.inner().shape == Shape::star && !blocks)
            continue;
        if (supports(choice, request)) list.push_back(choice);
    }
    return list;
}

double messages_of(const Choice& choice, const Request& request) {
    return planner_family(choice).messages(choice, request);
}

}  // namespace eco
