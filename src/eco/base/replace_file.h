// SPDX-License-Identifier: BSD-3-Clause
// Writes a whole file or none: a reader never sees half of it, and one that was there stays if the
// new one cannot be written. Called by what keeps files for the user: reports, what was learned.
#pragma once

#include <string>

namespace eco {

// Replaces the file that path names, also through a link, whose target it then is. What is no file
// (a terminal, a pipe that somebody reads) is written to as it stands. Errors: an errno; else 0.
int replace_file(const std::string& path, const std::string& text);

}  // namespace eco
