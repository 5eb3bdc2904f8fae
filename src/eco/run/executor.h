// Runs one rank's program: starts every task as soon as what it waits for is done, and waits for
// the transport in between. Called by interpose for each collective call, and by tests.
#pragma once

#include <functional>
#include <memory>

#include "eco/run/layout.h"
#include "eco/transport/transport.h"

namespace eco {

// to := to ∘ from, or from ∘ to where `earlier`. May overwrite `from`.
using Combine = std::function<void(std::byte* to, std::byte* from, Bytes bytes, bool earlier)>;

// A program made ready to run many times: who waits for whom, and which scratch it needs.
class Prepared {
public:
    explicit Prepared(Program program);

    const Program& program() const { return program_; }
    int segments() const { return program_.segments; }

private:
    friend class Execution;
    Program program_;
    std::vector<std::vector<std::int32_t>> followers_;  // per task, those that wait for it
    std::vector<std::vector<std::int32_t>> paced_;      // and those that do if they are paced
    std::vector<Piece> scratch_pieces_;                 // piece that each slot of scratch holds
    std::vector<std::int32_t> from_slot_, to_slot_;     // beside program_.pieces; -1: not scratch
};

// Returns when all of this rank's tasks are done. Throws what the transport throws; then some
// messages may be under way still, and the communicator is of no more use.
void execute(const Prepared& prepared, const Layout& layout, const Combine& combine,
             Transport& transport);

}  // namespace eco
