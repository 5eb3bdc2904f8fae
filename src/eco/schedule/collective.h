// SPDX-License-Identifier: BSD-3-Clause
// MPI's collective operations as planners see them; operations.def is the one table of their
// properties. A new collective is a row there, a case in a planner and a wrapper.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/hierarchy.h"

namespace eco {

enum class Operation {
#define ECO_COLLECTIVE(name, ...) name,
#define ECO_MULTICASTS(name, ...) name,
#include "eco/schedule/operations.def"
};

// What a message's chunks are: parts of one message, a block per rank, a block per pair of ranks
// (source · P + destination), or a block per multicast.
enum class Blocks { parts, per_rank, per_pair, per_multicast };

// One message from its source to its destinations: other ranks, each once.
struct Multicast {
    Rank source = 0;
    Bytes bytes = 0;
    std::vector<Rank> destinations;
};

// What a rank has in its input: the root all; each its own block, or its blocks for all; a summand
// of every chunk; or no more than that it has come.
enum class Begins { root, own, summand, arrival, listed };

// What a rank must have in its output: all of the message, each rank or the root or all others;
// its own block, or what is for it; the sums of the ranks up to it, or before it.
enum class Ends { all, root, others, own, up_to_own, before_own, listed };

// Which rules say what is worth trying (selection/candidates.cpp, selection/variants.cpp).
enum class Rules {
    tree,
    sum,
    signal,
    root_blocks,
    all_blocks,
    sum_blocks,
    pairs,
    prefix,
    listed,
};

struct OperationTraits {
    Operation operation;
    std::string_view name;  // MPI's, in small letters
    Operation base;         // the same without v: the two have the same schedules
    Blocks blocks;
    Begins begins;
    Ends ends;
    Rules rules;
    bool aliases;     // input and output may be the same memory
    bool size_known;  // whether all ranks know the message size

    constexpr bool rooted() const { return begins == Begins::root || ends == Ends::root; }
    constexpr bool reduces() const { return begins == Begins::summand; }
};

// Of those that list no multicasts.
inline constexpr int operation_count = 0
#define ECO_COLLECTIVE(...) +1
#include "eco/schedule/operations.def"
    ;

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

// Whether what the operation adds up must stay in rank order.
inline bool keeps_order(const Request& request) {
    return traits(request.operation).reduces() && !request.commutative;
}
inline bool has_rules(const Request& request, std::initializer_list<Rules> rules) {
    return std::find(rules.begin(), rules.end(), traits(request.operation).rules) != rules.end();
}

}  // namespace eco
