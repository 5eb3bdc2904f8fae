// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/check.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace eco {

static int rank_of_checks = -1;

void set_rank_of_checks(int rank) { rank_of_checks = rank; }

void check_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "eco: bug: %s does not hold (%s:%d, rank %d)\n", condition, file, line,
                 rank_of_checks);
    std::abort();
}

}  // namespace eco

// What std::terminate runs, instead of libstdc++'s own: that one brings a demangler of 100 kB into
// each object, for the name of the exception's type.
void __gnu_cxx::__verbose_terminate_handler() {
    const auto say = [](const char* why) {
        std::fprintf(stderr, "eco: bug: terminate called (%s)\n", why);
    };
    if (!std::current_exception()) say("no exception");
    try {
        if (std::current_exception()) throw;
    } catch (const std::exception& error) {
        say(error.what());
    } catch (...) {
        say("an exception of a foreign type");
    }
    std::abort();
}
