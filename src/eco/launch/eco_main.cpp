// SPDX-License-Identifier: BSD-3-Clause
// The `eco` command. What ranks run under a launcher, exec and probe, is native and starts at once;
// everything else is the `eco` command's.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "eco/base/error.h"
#include "eco/base/run_main.h"
#include "eco/launch/exec.h"
#include "eco/launch/parts.h"
#include "eco/launch/probe.h"

[[noreturn]] static void run_python(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = eco::launch::python_command();
    const std::string python = command[0];
    command.insert(command.end(), arguments.begin(), arguments.end());
    setenv("ECO_BIN", eco::launch::own_path().c_str(), 1);
    eco::launch::start(python, command);
    throw eco::Error(eco::Code::environment, "cannot run " + python + ": " + std::strerror(errno));
}

static int run(const std::vector<std::string>& arguments) {
    const std::string verb = arguments.empty() ? "--help" : arguments[0];
    const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                        arguments.end());
    if (verb == "exec") return eco::launch::run_exec(rest);
    if (verb == "probe") eco::launch::run_probe(rest);
    if (verb == "--version") {
        std::puts("eco " ECO_VERSION);
        return 0;
    }
    run_python(arguments);
}

int main(int count, char** words) {
    return eco::run_main([&] { return run({words + 1, words + count}); });
}
