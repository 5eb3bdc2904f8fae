// SPDX-License-Identifier: BSD-3-Clause
// One line for the user, on standard error, behind "eco: ".
#pragma once

#include <cstdio>
#include <string>

namespace eco {

inline void say(const std::string& line) { std::fprintf(stderr, "eco: %s\n", line.c_str()); }

}  // namespace eco
