// SPDX-License-Identifier: BSD-3-Clause
// The identity of this build: ranks decide alike without communication only if all were built from
// the same sources by the same compiler with the same flags. Compared when a job's session begins
// (share.h), and before anything is measured (measure/same_build.h).
#pragma once

#include <cstdint>

namespace eco {

// "eco-build VERSION HASH"; written by build_id.cmake when a source has changed.
extern const char* const build_text;

// A hash of build_text, which ranks compare.
std::uint64_t build_id();

}  // namespace eco
