// MPI's collective operations as planners see them, and the one table of their properties. A new
// collective is a line here, a planner and a wrapper.
#pragma once

#include <string_view>

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
};
inline constexpr int operation_count = 17;

// What a message's pieces are: parts of one message, a block per rank, or a block per pair of ranks
// (source · P + destination).
enum class Blocks { parts, per_rank, per_pair };

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

// Throws Error{usage} that lists the names.
Operation parse_operation(std::string_view name);

// What a schedule is asked for. All ranks ask the same.
struct Request {
    Operation operation;
    const Hierarchy* hierarchy;
    Rank root = 0;
    bool commutative = true;

    int ranks() const { return hierarchy->ranks(); }
};

}  // namespace eco
