// SPDX-License-Identifier: BSD-3-Clause
// The one place of a program where what was thrown becomes a sentence and an exit code
// (docs/formats.md).
#pragma once

#include <cstdio>
#include <exception>

#include "eco/base/error.h"

namespace eco {

// What main returns. body() gives the exit code where nothing is thrown.
template <typename Body>
int run_main(Body body) {
    try {
        return body();
    } catch (const Error& error) {
        std::fprintf(stderr, "eco: %s\n", error.what());
        return static_cast<int>(error.code());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: %s\n", error.what());
        return static_cast<int>(Code::environment);
    }
}

}  // namespace eco
