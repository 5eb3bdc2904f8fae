// SPDX-License-Identifier: BSD-3-Clause
// The part of a collective that the MPI library does inside each innermost group (inner=native):
// towards the leader of the group, and from it. Used by the planners of trees and
// exchanges, whose trees then join those ranks only. Adds nothing if the choice is another.
#pragma once

#include <vector>

#include "eco/planners/planner.h"

namespace eco {

class NativePart {
public:
    // root: leads its group. Keeps the builder.
    NativePart(const Choice& choice, const Request& request, Rank root, Rank me, Builder& builder);

    // Whether this rank shares its innermost group with others.
    bool takes_part() const { return takes_part_; }
    // Whether another rank leads it, so that the library's part is all it does.
    bool follows() const { return takes_part_ && leader_ != me_; }
    // Whether all ranks are in one innermost group.
    bool is_all() const { return takes_part_ && is_all_; }

    // Every rank's input, combined in `sum` of the leader.
    void collect(const std::vector<Chunk>& chunks, Buffer sum);
    // From `from` of the leader to the others' output. After collect() where it is a
    // barrier.
    void spread(const std::vector<Chunk>& chunks, Buffer from);
    // Where is_all(): from every rank's input to every rank's output.
    void allreduce(const std::vector<Chunk>& chunks);

private:
    Rank me_, leader_;
    bool takes_part_, is_all_, is_barrier_;
    Builder& builder_;
};

}  // namespace eco
