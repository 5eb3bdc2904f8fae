// SPDX-License-Identifier: BSD-3-Clause
// The candidates of one call in the making, and choices in short forms. Used by candidates.cpp, and
// by candidates_of_whole.cpp for the rules of operations that move or add up whole messages.
#pragma once

#include <algorithm>
#include <vector>

#include "eco/planners/planner.h"
#include "eco/selection/groups.h"
#include "eco/selection/segment_length.h"
#include "eco/selection/shape.h"

namespace eco {

inline Choice tree(Shape top, Shape inner, int segments) {
    return {TreeParameters{.top = {top}, .inner = {inner}}, segments};
}

inline Choice exchange(int segments = 0, Shape inner = Shape::star) {
    return {ExchangeParameters{.inner = {inner}}, segments};
}

inline Choice native_inside(Choice choice) {
    choice.set_native_inside();
    return choice;
}

inline Choice on(On what, Choice choice) {
    choice.on = what;
    return choice;
}

// A member for each of the rules that operations follow.
class Candidates {
public:
    Candidates(const Request& request, Bytes bytes)
        : request_(request),
          bytes_(bytes),
          top_(request.hierarchy->top),
          groups_(top_.parts.size()),
          flat_(groups_ == top_.ranks.size()),
          inside_(has_groups_inside(top_)),
          one_switch_(flat_ && groups_ > 2 && !(top_.medium_known && top_.shared)),
          fine_(chunks(two_frames)),
          coarse_(chunks(six_frames)),
          large_(std::min(16, chunks(large_segment))) {}

    std::vector<Choice> find();

private:
    int chunks(Bytes each) const {
        return static_cast<int>(
            std::clamp<Bytes>((bytes_ + each - 1) / each, 1, most_segments(request_)));
    }
    void add_circulants();
    void add_carriers(int carriers, int segments);
    void add_straight(Shape inner, Rotate rotate, int segments, int window);
    void trees();
    void trees_of_switches();
    void trees_of_sites();
    void trees_inside();
    void sums();
    void sums_in_segments();
    void signals();
    void root_blocks();
    void all_blocks();
    void sum_blocks();
    void pairs();
    void prefixes();
    void add_if_new(const Choice& choice);
    void of_rules();

    const Request& request_;
    const Bytes bytes_;
    const Group& top_;
    const std::size_t groups_;
    const bool flat_, inside_, one_switch_;
    const int fine_, coarse_, large_;  // segments
    std::vector<Choice> list_;
};

}  // namespace eco
