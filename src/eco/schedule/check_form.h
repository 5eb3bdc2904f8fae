// SPDX-License-Identifier: BSD-3-Clause
// Finds errors of a schedule that show without running it: tasks of a rank that race for a chunk,
// messages that no rank sends or receives, native tasks on which the ranks of a group disagree.
// Called by verify().
#pragma once

#include <string>
#include <vector>

#include "eco/schedule/program.h"

namespace eco {

// A schedule's programs, and what all that look at them ask.
struct AllPrograms {
    AllPrograms(const Request& request, const Programs& programs);

    const Request& request;
    const Operation operation;                      // the one that it is a kind of
    std::vector<Program> of;                        // by rank
    std::vector<std::vector<std::size_t>> natives;  // by rank its native tasks, in order

    int ranks() const { return request.ranks(); }
    int chunks() const;
    int block(Chunk chunk) const { return chunk / of[0].segments; }
    // With which the rank runs native tasks.
    const std::vector<Rank>& group_of(Rank rank) const;
    const Task& native(Rank rank, std::size_t number) const;
};

// Empty, or one sentence.
std::string check_form(const AllPrograms& programs);

}  // namespace eco
