// SPDX-License-Identifier: BSD-3-Clause
// A failure outside ECO (a file, a host, a setting) throws Error. A boundary (command line, MPI
// symbol) catches it and prints the message: one clear sentence that says what, where, and what to
// do.
#pragma once

#include <stdexcept>
#include <string>

namespace eco {

// The exit codes of every eco command.
enum class Code { usage = 2, bad_input = 3, launch = 4, environment = 5 };

class Error : public std::runtime_error {
public:
    Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
    Code code() const { return code_; }

private:
    Code code_;
};

}  // namespace eco
