// SPDX-License-Identifier: BSD-3-Clause
// A program made ready to run many times: its dependencies, and the scratch that it needs. Made
// once per plan; run by execution.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "eco/schedule/program.h"

namespace eco {

struct ExecutionMemory;

class Prepared {
public:
    // first_tag: of its messages, counted from the call's first one.
    explicit Prepared(Program program, int first_tag = 0);
    ~Prepared();

    const Program& program() const { return program_; }
    int segments() const { return program_.segments; }
    // Its messages have so many tags, from the first one on.
    int tags() const { return tags_; }
    int first_tag() const { return first_tag_; }
    // Of memory that it holds, with the state of a run and without the run's scratch
    // (ExecutionMemory, which has a limit of its own).
    std::size_t bytes() const;

private:
    friend class Execution;
    // Tasks per task, one list after the other.
    struct Lists {
        std::vector<std::int32_t> first, all;
        std::span<const std::int32_t> of(int task) const;
    };
    template <typename Waits>
    static Lists reversed(Waits&& waits, std::size_t tasks);
    void find_followers();
    void find_slots();

    Program program_;
    int tags_ = 0, first_tag_ = 0;
    Lists followers_;                                // those that wait for it
    Lists paced_;                                    // and those that do if they are paced
    std::vector<Chunk> scratch_chunks_;              // chunk that each slot of scratch holds
    std::vector<std::int32_t> from_slot_, to_slot_;  // beside program_.chunks; or empty
    // Of an execution that is over, for the next one.
    mutable std::atomic<ExecutionMemory*> spare_{nullptr};
};

}  // namespace eco
