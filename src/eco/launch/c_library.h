// SPDX-License-Identifier: BSD-3-Clause
// Whether the C library that a program will have suits a preload object. A container may have an
// older or another one than the system that ECO was built on, and the loader would end a program
// that preloads what does not suit. Called by exec.h.
#pragma once

#include <string>

namespace eco::launch {

// Why the object cannot be loaded into the program, and what helps; empty if it can be.
// search_path: LD_LIBRARY_PATH.
std::string why_c_library_does_not_suit(const std::string& object, const std::string& program,
                                        const std::string& search_path);

}  // namespace eco::launch
