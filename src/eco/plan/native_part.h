// The part of a collective that the MPI library does inside each innermost group (inner=native):
// towards the rank that speaks for the group, and from it. Used by the planners of trees and
// exchanges, whose trees then join those ranks only. Adds nothing where the choice is another.
#pragma once

#include <vector>

#include "eco/plan/planner.h"

namespace eco {

class NativePart {
public:
    // root: speaks for its group. Keeps the builder.
    NativePart(const Choice& choice, const Request& request, Rank root, Rank me, Builder& builder);

    // Whether this rank shares its innermost group with others.
    bool takes_part() const { return takes_part_; }
    // Whether another rank speaks for it, so that the library's part is all it does.
    bool follows() const { return takes_part_ && leader_ != me_; }
    // Whether all ranks are in one innermost group.
    bool is_all() const { return takes_part_ && is_all_; }

    // Every rank's input, combined in `sum` of the one that speaks.
    void collect(const std::vector<Piece>& pieces, Place sum);
    // From `from` of the one that speaks to the others' output. After collect() where it is a
    // barrier.
    void spread(const std::vector<Piece>& pieces, Place from);
    // Where is_all(): from every rank's input to every rank's output.
    void allreduce(const std::vector<Piece>& pieces);

private:
    Rank me_, leader_;
    bool takes_part_, is_all_, is_barrier_;
    Builder& builder_;
};

}  // namespace eco
