// ECO's side of one of the program's communicators: where its ranks are, the hidden communicator
// that schedules run on, and the programs planned so far. Made at the communicator's first
// collective, without communication; kept as its attribute; goes with it.
#pragma once

#include <array>
#include <map>
#include <memory>

#include "eco/interpose/session.h"
#include "eco/run/executor.h"

namespace eco {

class Communicator {
public:
    Communicator(MPI_Comm comm, Session& session);

    // False for an intercommunicator, a lone rank, or ranks whose host is not known.
    bool usable() const { return usable_; }
    Rank rank() const { return rank_; }
    int size() const { return size_; }
    const Hierarchy& hierarchy() const { return hierarchy_; }

    // What runs a call of this size; the same on all ranks. Null: the native function.
    const Choice* choose(Operation operation, Bytes bytes, bool commutative);

    // This rank's program, planned at the first call.
    const Prepared& prepared(const Choice& choice, const Request& request);

    // Collective over the communicator the first time. Throws MpiError.
    MPI_Comm hidden();

    void release();

private:
    MPI_Comm comm_, hidden_;
    bool usable_ = false;
    Rank rank_ = 0;
    int size_ = 0;
    Hierarchy hierarchy_;
    const Chooser* chooser_;
    // Per operation, whether it commutes, and size class (powers of two; 0: not known).
    struct Chosen {
        bool known = false;
        Choice choice;
    };
    std::array<std::array<std::array<Chosen, 66>, 2>, operation_count> chosen_;
    struct Key {
        Operation operation;
        Rank root;
        bool commutative;
        std::string choice;
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, std::unique_ptr<Prepared>> prepared_;
};

// Null where ECO stands aside for this communicator.
Communicator* communicator_of(MPI_Comm comm);

// Called by the attribute's delete callback.
void forget(Communicator* communicator);

}  // namespace eco
