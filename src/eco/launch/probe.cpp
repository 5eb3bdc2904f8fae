#include "eco/launch/probe.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "eco/base/error.h"
#include "eco/launch/option.h"
#include "eco/launch/parts.h"

namespace eco {

static constexpr const char* probe_help =
    "Usage: eco probe [--mpi openmpi|mpich|abi] measure|tune|bench|pair [OPTIONS]\n"
    "\n"
    "What eco measure, eco tune and eco bench start on every host, by the launcher: there is no\n"
    "need to call it. Its events are those of docs/formats.md; pair times messages between two\n"
    "ranks.";

ProbeOptions read_probe_options(const std::vector<std::string>& arguments) {
    ProbeOptions options;
    std::string value;
    for (std::size_t next = 0; next < arguments.size(); ++next) {
        if (take_option("--mpi", arguments, next, value))
            options.family = mpi_option(value);
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
    auto family = options.family;
    if (!family) family = read_launch(environment_variables()).family;
    if (!family)
        throw Error(Code::usage,
                    "probe runs under an MPI launcher (mpirun … eco probe), and this one does not "
                    "tell its MPI: add --mpi openmpi, mpich or abi");
    const std::string program = probe_program(*family);
    std::vector<std::string> command{program};
    command.insert(command.end(), options.rest.begin(), options.rest.end());
    start(program, command);
    throw Error(Code::environment, "cannot run " + program + ": " + std::strerror(errno));
}

}  // namespace eco
