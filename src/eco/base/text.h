// SPDX-License-Identifier: BSD-3-Clause
// Files as texts, and texts cut into lines and words. Not by streams: each object that uses one
// holds libstdc++'s locales, half a megabyte, and inside a Python process with another C++ library
// streams may write nothing. Called by what reads files, options and answers.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eco {

// The whole file, without the mark that some editors put at its beginning (UTF-8's EF BB BF);
// nothing if it cannot be read, or is a folder.
std::optional<std::string> read_text(const std::string& path);

// All that the file still has.
std::string read_rest(std::FILE* file);

// Up to the end of the line, which is taken but not returned.
std::string read_line(std::FILE* file);

// Between separators; what ends with one, as lines do, has no empty part behind it.
std::vector<std::string> split(std::string_view text, char separator);

// Between spaces, tabs and ends of lines.
std::vector<std::string> words_of(std::string_view text);

}  // namespace eco
