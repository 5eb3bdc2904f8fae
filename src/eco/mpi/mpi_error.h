// SPDX-License-Identifier: BSD-3-Clause
// Turns what MPI functions return into exceptions. Called by all that call MPI.
#pragma once

#include <algorithm>
#include <exception>
#include <string>

#include "eco/mpi/native.h"

namespace eco {

// An MPI function failed; code is what it returned. A std::exception, so that a boundary which
// catches those lets it out no more than the others.
struct MpiError : std::exception {
    explicit MpiError(int of) : code(of) {}
    const char* what() const noexcept override { return "an MPI function failed"; }

    int code;
};

// A message was longer than its place. All others of its schedule have been sent and received.
struct Truncated : MpiError {
    using MpiError::MpiError;
};

// The library's words for it, on one line.
inline std::string text_of_error(int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (native().Error_string(code, text, &length) != MPI_SUCCESS) return "an MPI function failed";
    std::string line(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

inline void check_mpi(int code) {
    if (code != MPI_SUCCESS) throw MpiError{code};
}

}  // namespace eco
