// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace eco {

static int rank_of_checks = -1;

void set_rank_of_checks(int rank) { rank_of_checks = rank; }

void check_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "eco: bug: %s does not hold (%s:%d, rank %d)\n", condition, file, line,
                 rank_of_checks);
    std::abort();
}

}  // namespace eco
