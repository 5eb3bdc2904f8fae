// SPDX-License-Identifier: BSD-3-Clause
#include "eco/schedule/collective.h"

#include <string>

#include "eco/base/check.h"
#include "eco/base/error.h"

namespace eco {

static constexpr OperationTraits table[] = {
#define ECO_COLLECTIVE(name, mpi, base, blocks, begins, ends, rules, aliases, known, ...)          \
    {Operation::name, #name,        Operation::base, Blocks::blocks, Begins::begins,               \
     Ends::ends,      Rules::rules, aliases,         known},
#define ECO_MULTICASTS(name, known)                                                                \
    {Operation::name,       #name,          Operation::multicast,                                  \
     Blocks::per_multicast, Begins::listed, Ends::listed,                                          \
     Rules::listed,         false,          known},
#include "eco/schedule/operations.def"
};

const OperationTraits& traits(Operation operation) {
    const auto& row = table[static_cast<std::size_t>(operation)];
    ECO_CHECK(row.operation == operation);
    return row;
}

const std::vector<Operation>& operations() {
    // Never destroyed: a collective at exit may come after it would be.
    static const auto& all = *[] {
        auto* list = new std::vector<Operation>;
        for (const auto& row : table)
            if (row.blocks != Blocks::per_multicast) list->push_back(row.operation);
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
                "'" + std::string(name) + "' is an unknown collective; choose from " + names);
}

}  // namespace eco
