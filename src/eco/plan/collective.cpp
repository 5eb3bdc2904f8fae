#include "eco/plan/collective.h"

#include <array>
#include <string>

#include "eco/base/check.h"
#include "eco/base/error.h"

namespace eco {

using enum Operation;

// operation, name, base, blocks, rooted, reduces, aliases, size_known
static constexpr std::array<OperationTraits, operation_count + 3> table{{
    {bcast, "bcast", bcast, Blocks::parts, true, false, true, true},
    {barrier, "barrier", barrier, Blocks::parts, false, false, false, true},
    {scatter, "scatter", scatter, Blocks::per_rank, true, false, true, true},
    {scatterv, "scatterv", scatter, Blocks::per_rank, true, false, true, false},
    {gather, "gather", gather, Blocks::per_rank, true, false, true, true},
    {gatherv, "gatherv", gather, Blocks::per_rank, true, false, true, false},
    {allgather, "allgather", allgather, Blocks::per_rank, false, false, true, true},
    {allgatherv, "allgatherv", allgather, Blocks::per_rank, false, false, true, true},
    {alltoall, "alltoall", alltoall, Blocks::per_pair, false, false, false, true},
    {alltoallv, "alltoallv", alltoall, Blocks::per_pair, false, false, false, false},
    {alltoallw, "alltoallw", alltoall, Blocks::per_pair, false, false, false, false},
    {reduce, "reduce", reduce, Blocks::parts, true, true, true, true},
    {allreduce, "allreduce", allreduce, Blocks::parts, false, true, true, true},
    {scan, "scan", scan, Blocks::parts, false, true, true, true},
    {exscan, "exscan", exscan, Blocks::parts, false, true, true, true},
    {reduce_scatter, "reduce_scatter", reduce_scatter, Blocks::per_rank, false, true, true, true},
    {reduce_scatter_block, "reduce_scatter_block", reduce_scatter, Blocks::per_rank, false, true,
     true, true},
    {multicast, "multicast", multicast, Blocks::per_multicast, false, false, false, true},
    {neighbor_allgather, "neighbor_allgather", multicast, Blocks::per_multicast, false, false,
     false, true},
    {neighbor_allgatherv, "neighbor_allgatherv", multicast, Blocks::per_multicast, false, false,
     false, false},
}};

const OperationTraits& traits(Operation operation) {
    const auto& row = table[static_cast<std::size_t>(operation)];
    ECO_CHECK(row.operation == operation);
    return row;
}

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all = [] {
        std::vector<Operation> list;
        for (const auto& row : table)
            if (row.blocks != Blocks::per_multicast) list.push_back(row.operation);
        return list;
    }();
    return all;
}

Operation parse_operation(std::string_view name) {
    std::string names;
    for (const Operation operation : operations()) {
        const auto known = traits(operation).name;
        if (known == name) return operation;
        names += (names.empty() ? "" : ", ") + std::string(known);
    }
    throw Error(Code::usage,
                "'" + std::string(name) + "' is no collective operation; there are " + names);
}

}  // namespace eco
