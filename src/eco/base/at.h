// SPDX-License-Identifier: BSD-3-Clause
// at(rank) is the rank's place in a std::vector: ranks, hosts, tasks and bytes are counted by
// signed integers (as MPI does), elements of containers by std::size_t. The index must not be
// negative.
#pragma once

#include <concepts>
#include <cstddef>

namespace eco {

constexpr std::size_t at(std::signed_integral auto index) {
    return static_cast<std::size_t>(index);
}

}  // namespace eco
