// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/option.h"

#include "eco/base/error.h"

namespace eco::launch {

bool take_option(const std::string& option, const std::vector<std::string>& arguments,
                 std::size_t& next, std::string& value) {
    const std::string& argument = arguments[next];
    if (argument.starts_with(option + "=")) {
        value = argument.substr(option.size() + 1);
    } else if (argument == option) {
        if (next + 1 == arguments.size()) throw Error(Code::usage, option + " needs a value");
        value = arguments[++next];
    } else {
        return false;
    }
    if (value.empty()) throw Error(Code::usage, option + " needs a value");
    return true;
}

Abi mpi_option(const std::string& value) {
    if (const auto abi = abi_named(value)) return *abi;
    throw Error(Code::usage, "--mpi must be openmpi, mpich or abi, not '" + value + "'");
}

}  // namespace eco::launch
