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

}  // namespace

std::string name_of_program(const std::vector<std::string>& words) {
    if (words.empty()) return "";
    const std::string name = file_name(words.front());
    if (!is_interpreter(name)) return name;
    const auto script = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
        return !word.empty() && word.front() != '-';
    });
    return script == words.end() ? name : file_name(*script);
}

std::string name_of_program() {
    const auto line = read_text("/proc/self/cmdline");
    return line ? name_of_program(split(*line, '\0')) : "";
}

}  // namespace eco
