#include "eco/launch/option.h"

#include "eco/base/error.h"

namespace eco {

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

Family mpi_option(const std::string& value) {
    if (const auto family = family_named(value)) return *family;
    throw Error(Code::usage, "--mpi takes openmpi, mpich or abi, not '" + value + "'");
}

}  // namespace eco
