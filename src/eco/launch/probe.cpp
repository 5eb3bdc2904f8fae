// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/probe.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "eco/base/error.h"
#include "eco/launch/option.h"
#include "eco/launch/parts.h"

namespace eco::launch {

static constexpr const char* probe_help =
    "Usage: eco probe [--mpi openmpi|mpich|abi] VERB [OPTIONS]\n"
    "\n"
    "eco measure, eco tune and eco bench start this on every host, through the\n"
    "launcher; you need not call it. VERB is measure, tune or bench; reach: tries\n"
    "which addresses connect, without MPI. Its events are in docs/formats.md.";

ProbeOptions read_probe_options(const std::vector<std::string>& arguments) {
    ProbeOptions options;
    std::string value;
    for (std::size_t next = 0; next < arguments.size(); ++next) {
        if (take_option("--mpi", arguments, next, value))
            options.abi = mpi_option(value);
        else
            options.rest.push_back(arguments[next]);
    }
    return options;
}

void run_probe(const std::vector<std::string>& arguments) {
    const ProbeOptions options = read_probe_options(arguments);
    if (!options.rest.empty() && (options.rest[0] == "--help" || options.rest[0] == "-h")) {
        std::puts(probe_help);
        std::exit(0);
    }
    auto abi = options.abi;
    if (!abi) abi = read_launch(environment_variables()).abi;
    if (!abi)
        throw Error(
            Code::usage,
            "eco probe runs under an MPI launcher (mpirun … eco probe); this launcher does not "
            "show its MPI: add --mpi openmpi, mpich or abi");
    const std::string program = probe_program(*abi);
    std::vector<std::string> command{program};
    command.insert(command.end(), options.rest.begin(), options.rest.end());
    start(program, command);
    throw Error(Code::environment, "cannot run " + program + ": " + std::strerror(errno));
}

}  // namespace eco::launch
