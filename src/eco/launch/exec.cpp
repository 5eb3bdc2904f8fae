// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/exec.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "eco/base/error.h"
#include "eco/base/say.h"
#include "eco/base/settings.h"
#include "eco/launch/c_library.h"
#include "eco/launch/executable.h"
#include "eco/launch/linkage.h"
#include "eco/launch/option.h"
#include "eco/launch/parts.h"

namespace eco::launch {

static constexpr const char* exec_help =
    "Usage: eco exec [OPTIONS] [--] PROGRAM [ARGUMENTS]…\n"
    "\n"
    "Run an unmodified MPI program with topology-aware collectives:\n"
    "mpirun -n 8 --hostfile hosts eco exec ./program\n"
    "\n"
    "  --profile FILE             the measured network [default: ECO_PROFILE, or the\n"
    "                             stored profile of these hosts]; also --topology\n"
    "  --mpi openmpi|mpich|abi    the program's MPI, if ECO cannot find it out\n"
    "  --verbose                  print what was chosen, and a report at the end\n"
    "\n"
    "The exit code is the program's; 127 if it is not found, 126 if it cannot be run.\n";

ExecOptions read_exec_options(const std::vector<std::string>& arguments) {
    ExecOptions options;
    std::size_t next = 0;
    for (std::string value; next < arguments.size(); ++next) {
        const std::string& argument = arguments[next];
        if (argument == "--") {
            ++next;
            break;
        }
        if (argument.size() < 2 || argument[0] != '-') break;
        if (argument == "--help" || argument == "-h")
            options.help = true;
        else if (argument == "--verbose" || argument == "-v")
            options.verbose = true;
        else if (take_option("--profile", arguments, next, value) ||
                 take_option("--topology", arguments, next, value))
            options.profile = value;
        else if (take_option("--mpi", arguments, next, value))
            options.abi = mpi_option(value);
        else
            throw Error(Code::usage, "unknown option " + argument +
                                         "; options of the program come after its name");
    }
    options.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(next), arguments.end());
    if (options.command.empty() && !options.help)
        throw Error(Code::usage, "no program to run: eco exec PROGRAM ARGUMENTS…");
    return options;
}

static std::string variable(const Variables& variables, const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
}

static std::string file_name(const std::string& command) {
    return command.substr(command.rfind('/') + 1);
}

// What starts ranks, on other hosts too, where nothing of this environment need arrive; also as
// mpirun.openmpi and the like.
static bool starts_ranks(const std::string& command) {
    const std::string name = file_name(command);
    for (const char* known : {"mpirun", "mpiexec", "orterun", "prterun", "srun"})
        if (name.substr(0, name.find_first_of("._-")) == known) return true;
    return false;
}

// Of those that hand nothing of the environment in; others, such as Apptainer, do.
static bool starts_container(const std::string& command) {
    const std::string name = file_name(command);
    for (const char* known : {"podman", "docker", "nerdctl"})
        if (name == known) return true;
    return false;
}

Preload choose_preload(const ExecOptions& options, const Executable& executable,
                       const Variables& variables) {
    const std::string& name = options.command[0];
    if (starts_ranks(name))
        return {std::nullopt, "",
                name +
                    " starts the ranks, in which ECO must be: put 'eco exec' and its options "
                    "behind those of " +
                    file_name(name) + ", before the program"};
    if (options.abi) return {options.abi, "--mpi", "", executable.file};

    if (starts_container(name))
        return {std::nullopt, "",
                name +
                    " starts a container, inside which ECO must be: put 'eco exec' behind the "
                    "image's name, before the program"};

    const std::string search_path = variable(variables, "LD_LIBRARY_PATH");
    const Linkage linkage = read_linkage(executable.file, search_path);
    if (linkage.abi) return {linkage.abi, "linked with " + linkage.library, "", executable.file};
    if (linkage.has_mpi_inside)
        return {std::nullopt, "",
                name +
                    " is linked with MPI statically, so ECO cannot be preloaded; it "
                    "runs without ECO (link it with the shared MPI library)"};

    // numactl ./app, env NAME=1 ./app, bash -x ./app: what a wrapper starts is among its arguments.
    for (std::size_t i = 1; i < options.command.size(); ++i) {
        const std::string& argument = options.command[i];
        if (argument.empty() || argument[0] == '-') continue;
        const std::string found = find_program(argument, variables);
        if (found.empty()) continue;
        if (const Linkage inner = read_linkage(found, search_path); inner.abi)
            return {inner.abi, argument + " is linked with " + inner.library, "", found};
    }

    const Launch launch = read_launch(variables);
    const bool interpreter = executable.interpreter || linkage.hosts_interpreter;
    if (launch.abi && interpreter)
        return {launch.abi, "by the launcher's environment", "", executable.file};
    if (launch.abi)
        // It may still load MPI late or start an MPI program; the object rests until then.
        return {
            launch.abi, "by the launcher's environment",
            name +
                " is not linked with MPI: ECO acts only if it loads MPI or starts an MPI program",
            executable.file};
    if (launch.launched && interpreter)
        return {std::nullopt, "",
                "cannot find out which MPI " + name +
                    " will load; it runs without ECO "
                    "(name its MPI: eco exec --mpi openmpi|mpich|abi)"};
    return {std::nullopt, "",
            name +
                " is not linked with MPI; it runs without ECO (if it loads MPI "
                "later, name it: eco exec --mpi openmpi|mpich|abi)"};
}

Preload if_it_loads(Preload choice, const std::string& object, const std::string& file,
                    const std::string& name, const Variables& variables) {
    const std::string why =
        why_c_library_does_not_suit(object, file, variable(variables, "LD_LIBRARY_PATH"));
    if (why.empty()) return choice;
    return {std::nullopt, "", name + " runs without ECO: " + why};
}

std::string preload_list(const std::string& object, const std::string& before,
                         const std::string& runtime) {
    std::string list = runtime.empty() ? "" : runtime + ":";
    for (std::size_t start = 0; start < before.size();) {
        std::size_t end = before.find_first_of(": ", start);
        if (end == std::string::npos) end = before.size();
        const std::string entry = before.substr(start, end - start);
        start = end + 1;
        // Of two of ECO's objects the second would take the first for the MPI library.
        const bool ours = entry.substr(entry.rfind('/') + 1).starts_with("libeco-");
        if (!entry.empty() && !ours && entry != runtime) list += entry + ":";
    }
    return list + object;
}

static int start_program(const std::vector<std::string>& command) {
    start(command[0], command);
    const int reason = errno;
    const char* what = reason == ENOENT ? "no such program" : std::strerror(reason);
    std::fprintf(stderr, "eco: cannot run %s: %s\n", command[0].c_str(), what);
    return reason == ENOENT ? 127 : 126;
}

static void preload(const std::string& object, const std::string& program,
                    const ExecOptions& options, const Variables& variables) {
    const std::string runtime = sanitizer_runtime(program, variable(variables, "LD_LIBRARY_PATH"));
    const std::string list = preload_list(object, variable(variables, "LD_PRELOAD"), runtime);
    setenv("LD_PRELOAD", list.c_str(), 1);
    // AddressSanitizer takes an object before its runtime for a mistake. What a script starts, or
    // the program itself, inherits the object, and nothing can put that one's runtime first.
    const std::string own = variable(variables, "ASAN_OPTIONS");
    setenv("ASAN_OPTIONS", ("verify_asan_link_order=0" + (own.empty() ? "" : ":" + own)).c_str(),
           1);
    if (!options.profile.empty())
        setenv("ECO_PROFILE", std::filesystem::absolute(options.profile).c_str(), 1);
    const auto level = variable(variables, "ECO_VERBOSE");
    if (options.verbose && level != "2") setenv("ECO_VERBOSE", "1", 1);
}

int run_exec(const std::vector<std::string>& arguments) {
    const ExecOptions options = read_exec_options(arguments);
    if (options.help) {
        std::fputs(exec_help, stdout);
        return 0;
    }
    const Variables variables = environment_variables();
    const Settings settings = read_settings();
    const std::string file = find_program(options.command[0], variables);
    // ECO_DISABLE is rank 0's to obey, for all: the object on some ranks only would leave them
    // waiting for the others.
    // A program that is not there is the system's to complain about.
    if (file.empty()) return start_program(options.command);

    const Executable executable = read_executable(file, variables);
    Preload choice = choose_preload(options, executable, variables);
    const std::string object = choice.abi ? preload_object(*choice.abi) : "";
    if (choice.abi)
        choice =
            if_it_loads(std::move(choice), object, executable.file, options.command[0], variables);
    const bool prints = read_launch(variables).first;
    if (!choice.warning.empty() && prints) say(choice.warning);
    if (choice.abi) {
        preload(object, choice.program, options, variables);
        if ((options.verbose || settings.verbose > 0) && prints)
            std::fprintf(stderr, "eco: uses its preload object for %s (%s)\n",
                         abi_name(*choice.abi), choice.why.c_str());
    }
    return start_program(options.command);
}

}  // namespace eco::launch
