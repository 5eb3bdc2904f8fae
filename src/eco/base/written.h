// SPDX-License-Identifier: BSD-3-Clause
// Numbers and JSON values as they are quoted in an error message. Called by what reads files that
// people may have written.
#pragma once

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace eco {

// Not by a stream: inside a Python process with another C++ library those may write nothing.
inline std::string written(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

// Figures and words as they are, cut where they are long; of lists and objects only that they are
// such: printing one that is nested deeply takes more stack than there is.
inline std::string written(const nlohmann::json& value) {
    if (value.is_array()) return "a list";
    if (value.is_object()) return "an object";
    const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text.size() <= 40 ? text : text.substr(0, 40) + "…";
}

// Words of the user's on one line: cut where they are long, without control characters.
inline std::string on_one_line(std::string text) {
    constexpr std::size_t most = 80;
    if (text.size() > most) {
        std::size_t end = most;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
        text = text.substr(0, end) + "…";
    }
    for (char& each : text)
        if (static_cast<unsigned char>(each) < 0x20 || each == 0x7f) each = '?';
    return text;
}

}  // namespace eco
