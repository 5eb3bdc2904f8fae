// SPDX-License-Identifier: BSD-3-Clause
// ECO_CHECK(condition): a bug in ECO itself aborts, with file, line and rank.
#pragma once

namespace eco {

// The rank that a failing check names; -1 until it is known.
void set_rank_of_checks(int rank);

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace eco

#define ECO_CHECK(condition)                                                                       \
    do {                                                                                           \
        if (!(condition)) ::eco::check_failed(#condition, __FILE__, __LINE__);                     \
    } while (false)
