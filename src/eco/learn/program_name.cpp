// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/program_name.h"

#include <algorithm>
#include <iterator>

#include "eco/base/text.h"

namespace eco {

namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_interpreter(const std::string& name) {
    constexpr const char* interpreters[] = {"python", "pypy", "perl", "ruby",    "julia",
                                            "lua",    "node", "R",    "Rscript", "octave"};
    return std::any_of(std::begin(interpreters), std::end(interpreters),
                       [stem = name.substr(0, name.find_first_of("0123456789.-"))](
                           const char* interpreter) { return stem == interpreter; });
}

// Nothing if there is none.
std::string script_of(const std::vector<std::string>& words) {
    constexpr const char* runners[] = {"mpi4py", "mpi4py.run", "runpy", "cProfile", "pdb", "trace"};
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "-c" || word == "-e") return "";
        if (word == "-W" || word == "-X") ++i;  // an option of Python, and its value
        if (word.empty() || word.front() == '-') continue;
        const bool runs_another =
            words[i - 1] == "-m" &&
            std::find(std::begin(runners), std::end(runners), word) != std::end(runners);
        if (!runs_another) return file_name(word);
    }
    return "";
}

// For a file in JSON.
std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char each) { return each < ' ' || each > '~'; }, '?');
    return text;
}

}  // namespace

std::string name_of_program(const std::vector<std::string>& words) {
    if (words.empty()) return "";
    const std::string name = file_name(words.front());
    const std::string script = is_interpreter(name) ? script_of(words) : "";
    return printable(script.empty() ? name : script);
}

std::string name_of_program() {
    const auto line = read_text("/proc/self/cmdline");
    return line ? name_of_program(split(*line, '\0')) : "";
}

}  // namespace eco
