// SPDX-License-Identifier: BSD-3-Clause
// One call's run of a prepared program: starts every task as soon as its dependencies are complete.
// A blocking call finishes it; other calls make progress on it from time to time. Made by job/ for
// each call, and by tests.
#pragma once

#include <functional>
#include <memory>

#include "eco/run/execution_memory.h"
#include "eco/run/layout.h"
#include "eco/run/prepared.h"
#include "eco/transport/transport.h"

namespace eco {

// to := from ∘ to where `earlier`, which leaves `from` as it is; else to ∘ from, which may
// overwrite it.
using Combine = std::function<void(std::byte* to, std::byte* from, Bytes bytes, bool earlier)>;

// All functions throw what the transport throws; then some messages may be under way still, the
// execution is over, and its communicator is of no more use.
class Execution {
public:
    // Keeps references to all of these. first_tag: the tags of its messages are counted from here,
    // and no other execution on this communicator has them until it is done.
    Execution(const Prepared& prepared, const Layout& layout, const Combine& combine,
              Transport& transport, int first_tag = 0);
    // Before it is done its memory is not freed, as messages may be under way into it.
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    // Starts the tasks that wait for nothing. Blocks only for native tasks. When it is done it may
    // be started again, with the layout as it was.
    void start();
    // Takes note of messages that have ended and starts what waited for them. True when all of this
    // rank's tasks are done. Blocks only for native tasks. After start().
    bool progress() { return step(false); }
    // Blocks until all are done. After start().
    void finish() {
        while (!step(true)) {
        }
    }

private:
    using State = ExecutionMemory::State;

    State& state(int index) { return memory_->states[static_cast<std::size_t>(index)]; }
    Span span(Buffer buffer, const std::vector<std::int32_t>& slots, int position) const;
    Span from(const Task& task, int position) const;
    Span to(const Task& task, int position) const;
    Bytes length(const Task& task) const;
    std::byte* stretch(const Task& task, bool sending) const;
    void gather(const Task& task, std::byte* target) const;
    const std::byte* source_of(const Task& task, State& mine) const;

    bool step(bool may_block);
    void run_ready();
    bool begin(int index);
    void receive(int index);
    bool has_moved(int index);
    void combine_in_place(const Task& task);
    void combine_staged(const Task& task, State& mine);
    static void release(State& mine);
    void end(int index);

    const Prepared& prepared_;
    const Program& program_;
    const Layout& layout_;
    const Combine& combine_;
    Transport& transport_;
    int first_tag_;
    std::size_t left_;
    std::unique_ptr<ExecutionMemory> memory_;
};

// Start and finish.
void execute(const Prepared& prepared, const Layout& layout, const Combine& combine,
             Transport& transport, int first_tag = 0);

}  // namespace eco
