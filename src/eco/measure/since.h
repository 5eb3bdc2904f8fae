// SPDX-License-Identifier: BSD-3-Clause
// The seconds since a moment, by this process's own steady clock. Local; used by all that measures.
#pragma once

#include <chrono>

#include "eco/base/units.h"

namespace eco {

inline Seconds since(std::chrono::steady_clock::time_point moment) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - moment).count();
}

}  // namespace eco
