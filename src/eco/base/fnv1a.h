// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a: a hash of bytes or small numbers that is the same on all hosts and in all builds, so that
// ranks and files may exchange it. Not against anybody who wants two names to have one hash.
#pragma once

#include <cstdint>

namespace eco {

class Fnv1a {
public:
    void add(std::uint64_t next) { value_ = (value_ ^ next) * 1099511628211U; }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 14695981039346656037U;
};

}  // namespace eco
