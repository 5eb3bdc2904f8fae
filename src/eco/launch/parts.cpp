// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/parts.h"

#include <unistd.h>

#include <filesystem>

#include "eco/base/error.h"

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

std::string cockpit_python() {
    return part("ECO's Python environment",
                {"../lib/eco/venv/bin/python", "../../../.venv/bin/python"});
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
