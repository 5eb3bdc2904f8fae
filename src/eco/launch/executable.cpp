// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/executable.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <string_view>

#include "eco/base/text.h"

namespace eco::launch {

static bool is_executable(const std::string& path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           access(path.c_str(), X_OK) == 0;
}

std::string find_program(const std::string& name, const Variables& variables) {
    if (name.find('/') != std::string::npos) return is_executable(name) ? name : "";
    if (name.empty()) return "";
    const auto path = variables.find("PATH");
    for (const std::string& folder :
         split(path == variables.end() ? "/bin:/usr/bin" : path->second, ':')) {
        std::string file = folder.empty() ? name : folder + "/" + name;
        if (is_executable(file)) return file;
    }
    return "";
}

// python3.11, bash, perl5.36: the name without its version is what counts.
static bool is_interpreter_name(std::string_view file) {
    static constexpr std::array names{"python", "pypy",  "sh",   "bash",    "dash",   "zsh",
                                      "ksh",    "fish",  "csh",  "tcsh",    "perl",   "ruby",
                                      "lua",    "julia", "R",    "Rscript", "octave", "octave-cli",
                                      "tclsh",  "node",  "java", "matlab",  "busybox"};
    std::string_view name = file.substr(file.rfind('/') + 1);
    while (!name.empty() && (std::isdigit(static_cast<unsigned char>(name.back())) ||
                             name.back() == '.' || name.back() == '-'))
        name.remove_suffix(1);
    for (const std::string_view known : names)
        if (name == known) return true;
    return false;
}

// The interpreter named by a #! line, looked up; empty if the file has none.
static std::string script_interpreter(const std::string& file, const Variables& variables) {
    std::FILE* script = std::fopen(file.c_str(), "re");
    if (!script) return "";
    const bool marked = std::fgetc(script) == '#' && std::fgetc(script) == '!';
    const auto words = words_of(marked ? read_line(script) : "");
    std::fclose(script);
    if (words.empty()) return "";
    if (words[0].substr(words[0].rfind('/') + 1) != "env") return words[0];
    // env -S PROGRAM, env NAME=VALUE PROGRAM: the first word that is neither.
    for (std::size_t n = 1; n < words.size(); ++n)
        if (words[n].front() != '-' && words[n].find('=') == std::string::npos)
            return find_program(words[n], variables);
    return "";
}

Executable read_executable(const std::string& file, const Variables& variables) {
    Executable executable{file, is_interpreter_name(file)};
    // The kernel itself gives up after a few interpreters of interpreters.
    for (int depth = 0; depth < 5; ++depth) {
        std::string interpreter = script_interpreter(executable.file, variables);
        if (interpreter.empty()) break;
        executable = {std::move(interpreter), true};
    }
    return executable;
}

}  // namespace eco::launch
