// MPI's collective operations as planners see them, and the one table of their properties. A new
// collective is a line here, a planner and a wrapper.
#pragma once

#include <string_view>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/hierarchy.h"

namespace eco {

enum class Operation {
    bcast,
    barrier,
    scatter,
    scatterv,
    gather,
    gatherv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    reduce,
    allreduce,
    scan,
    exscan,
    reduce_scatter,
    reduce_scatter_block,
    // Several multicasts at once; a request for one of these lists them.
    multicast,
    neighbor_allgather,
    neighbor_allgatherv,
};
inline constexpr int operation_count = 17;  // of those that list no multicasts

// What a message's pieces are: parts of one message, a block per rank, a block per pair of ranks
// (source · P + destination), or a block per multicast.
enum class Blocks { parts, per_rank, per_pair, per_multicast };

// One message from its source to its destinations: other ranks, each once.
struct Multicast {
    Rank source = 0;
    Bytes bytes = 0;
    std::vector<Rank> destinations;
};

struct OperationTraits {
    Operation operation;
    std::string_view name;  // MPI's, in small letters
    Operation base;         // the same without v: the two have the same schedules
    Blocks blocks;
    bool rooted;
    bool reduces;
    bool aliases;     // input and output may be the same memory
    bool size_known;  // whether all ranks know the message size
};

const OperationTraits& traits(Operation operation);
inline Operation base(Operation operation) { return traits(operation).base; }

// Those that list no multicasts, in the table's order.
const std::vector<Operation>& operations();

// The one whose timed choices hold for it.
inline Operation tuned_as(Operation operation) {
    return operation == Operation::alltoallw ? Operation::alltoallv : operation;
}

// One that lists no multicasts. Throws Error{usage} that lists the names.
Operation parse_operation(std::string_view name);

// What a schedule is asked for. All ranks ask the same.
struct Request {
    Operation operation;
    const Hierarchy* hierarchy;
    Rank root = 0;
    bool commutative = true;
    const std::vector<Multicast>* multicasts = nullptr;

    int ranks() const { return hierarchy->ranks(); }
};

}  // namespace eco
