// SPDX-License-Identifier: BSD-3-Clause
// Which program this is, so that what was learned of its non-blocking calls is not taken for that
// of another one. Called by job/share.h on rank 0.
#pragma once

#include <string>
#include <vector>

namespace eco {

// The file name of the program; of what an interpreter runs (python3 train.py, python3 -m train),
// that of the script.
std::string name_of_program(const std::vector<std::string>& words);

// Of this process; nothing where /proc cannot be read.
std::string name_of_program();

}  // namespace eco
