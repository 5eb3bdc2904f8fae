// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/text.h"

#include <algorithm>
#include <array>

namespace eco {

std::optional<std::string> read_text(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "re");
    if (!file) return std::nullopt;
    std::string text = read_rest(file);
    const bool whole = std::ferror(file) == 0;  // a folder can be opened, but not read
    std::fclose(file);
    if (!whole) return std::nullopt;
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (text.starts_with(mark)) text.erase(0, mark.size());
    return text;
}

std::string read_rest(std::FILE* file) {
    std::string text;
    std::array<char, 16384> part;
    while (const std::size_t bytes = std::fread(part.data(), 1, part.size(), file))
        text.append(part.data(), bytes);
    return text;
}

std::string read_line(std::FILE* file) {
    std::string line;
    for (int next = 0; (next = std::fgetc(file)) != EOF && next != '\n';)
        line += static_cast<char>(next);
    return line;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view space = " \t\r\n\v\f";
    std::vector<std::string> words;
    for (auto begin = text.find_first_not_of(space); begin != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(space, begin), text.size());
        words.emplace_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(space, end);
    }
    return words;
}

}  // namespace eco
