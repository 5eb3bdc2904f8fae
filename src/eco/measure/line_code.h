// SPDX-License-Identifier: BSD-3-Clause
// Text as lines that pass through any launcher: each line has one part of the text, its place and
// a checksum, all in letters and digits that neither terminals nor XML change. So a line is found
// whatever a launcher writes around it, and what it damaged is noticed
// (docs/formats.md, "Events of eco probe"). Called by protocol.cpp; python/eco/line_code.py reads
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eco {

enum class Arrival : char {
    must = 'r',  // a result: the reader fails where it is missing
    may = 'n',   // news: what is damaged is left out
};

// stream: of the process that prints, different for each. number: of the text among those of its
// stream and kind, from 0.
std::string coded_lines(std::string_view text, std::uint64_t stream, Arrival arrival, int number);

}  // namespace eco
