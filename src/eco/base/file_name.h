// SPDX-License-Identifier: BSD-3-Clause
// The last part of a path, as dlpi_name and dli_fname have it. Allocates nothing, so also for
// callbacks of the loader, through which nothing may be thrown.
#pragma once

#include <cstring>

namespace eco {

inline const char* file_name(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

}  // namespace eco
