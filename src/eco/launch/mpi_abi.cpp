// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/mpi_abi.h"

#include <unistd.h>

#include <cstdlib>

#include "eco/base/launched_rank.h"

namespace eco::launch {

const char* abi_name(Abi abi) {
    switch (abi) {
        case Abi::openmpi:
            return "openmpi";
        case Abi::mpich:
            return "mpich";
        case Abi::standard:
            return "abi";
    }
    return "";
}

std::optional<Abi> abi_named(std::string_view name) {
    for (const Abi abi : {Abi::openmpi, Abi::mpich, Abi::standard})
        if (name == abi_name(abi)) return abi;
    return std::nullopt;
}

std::optional<Abi> abi_of_library(std::string_view soname) {
    if (!soname.starts_with("libmpi")) return std::nullopt;
    const std::size_t suffix = soname.find(".so");
    if (suffix == std::string_view::npos) return std::nullopt;
    const std::string_view stem = soname.substr(0, suffix);
    const std::string_view version = soname.substr(suffix);  // ".so.40" or ".so.40.30.7"
    if (stem == "libmpi_abi") return Abi::standard;
    if (version == ".so.40" || version.starts_with(".so.40.")) return Abi::openmpi;
    if (version == ".so.12" || version.starts_with(".so.12.")) return Abi::mpich;
    return std::nullopt;
}

Variables environment_variables() {
    Variables variables;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

static bool any_with_prefix(const Variables& variables, std::string_view prefix) {
    const auto found = variables.lower_bound(std::string(prefix));
    return found != variables.end() && found->first.starts_with(prefix);
}

Launch read_launch(const Variables& variables) {
    Launch launch;
    const auto has = [&](const char* name) { return variables.contains(name); };
    for (const char* name : rank_variables) {
        const auto rank = variables.find(name);
        if (rank == variables.end()) continue;
        launch.launched = true;
        launch.first = rank->second == "0";
        break;
    }
    // OMPI_MCA_* and I_MPI_ROOT alone prove nothing: users keep them in their shells.
    if (has("OMPI_COMM_WORLD_SIZE"))
        launch.abi = Abi::openmpi;
    else if (has("PMI_RANK") || has("PMI_SIZE") || has("PMI_PORT") || has("MV2_COMM_WORLD_RANK") ||
             any_with_prefix(variables, "HYDI_"))
        launch.abi = Abi::mpich;
    else if (has("PMIX_RANK") && any_with_prefix(variables, "OMPI_"))
        launch.abi = Abi::openmpi;
    else if (launch.launched && any_with_prefix(variables, "I_MPI_"))
        launch.abi = Abi::mpich;
    launch.launched = launch.launched || launch.abi.has_value();
    return launch;
}

}  // namespace eco::launch
