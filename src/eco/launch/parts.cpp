// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/parts.h"

#include <unistd.h>

#include <filesystem>

#include "eco/base/error.h"
#include "eco/launch/executable.h"

namespace eco::launch {

namespace fs = std::filesystem;

std::string own_path() {
    std::error_code error;
    const fs::path path = fs::read_symlink("/proc/self/exe", error);
    if (error) throw Error(Code::environment, "cannot find its own files: /proc is not readable");
    return path;
}

// The first of the places, relative to the folder of `eco`, that exists.
static std::string part(const std::string& what, const std::vector<std::string>& places) {
    const fs::path folder = fs::path(own_path()).parent_path();
    std::error_code ignored;
    for (const std::string& place : places)
        if (const fs::path path = (folder / place).lexically_normal(); fs::exists(path, ignored))
            return path;
    throw Error(Code::environment, what + " is missing beside " + (folder / "eco").string() +
                                       "; build or install ECO again");
}

std::string preload_object(Abi abi) {
    const std::string name = std::string("libeco-") + abi_name(abi) + ".so";
    std::string object = part(name, {"../lib/" + name, "../lib/eco/" + name});
    if (object.find_first_of(" :") != std::string::npos)
        throw Error(Code::environment, "LD_PRELOAD cannot name " + object +
                                           ": install ECO in a folder without space and colon");
    return object;
}

std::string probe_program(Abi abi) {
    const std::string name = std::string("eco-probe-") + abi_name(abi);
    return part(name, {name, "../lib/eco/" + name});
}

std::vector<std::string> python_command() {
    const fs::path folder = fs::path(own_path()).parent_path();
    std::error_code ignored;
    // -I: neither the user's folder nor any PYTHON* variable decides which modules ECO loads.
    std::vector<std::string> module = {"-I", "-m", "eco"};
    if (const auto python = folder / "../lib/eco/python"; fs::exists(python / "eco", ignored))
        module = {"-I", python.lexically_normal()};
    std::vector<const char*> places = {"../lib/eco/venv/bin/python", "python3"};
    // Of a checkout. Three folders above an installation may be anybody's.
    if (fs::exists(folder / "../CMakeCache.txt", ignored))
        places.insert(places.begin() + 1, "../../../.venv/bin/python");
    for (const char* place : places)
        if (const auto python = (folder / place).lexically_normal(); fs::exists(python, ignored)) {
            module.insert(module.begin(), python);
            return module;
        }
    const std::string python = find_program("python3", environment_variables());
    if (python.empty())
        throw Error(Code::environment,
                    "there is no python3 beside " + own_path() +
                        " and none on PATH: every command but exec and probe needs it");
    // After pip install --user the package is where -I does not look.
    if (module.size() == 3)
        module = {"-E", "-c", "import sys; del sys.path[0]; import eco.__main__"};
    module.insert(module.begin(), python);
    return module;
}

void start(const std::string& file, const std::vector<std::string>& arguments) {
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments)
        words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    execvp(file.c_str(), words.data());
}

}  // namespace eco::launch
