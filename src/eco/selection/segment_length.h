// SPDX-License-Identifier: BSD-3-Clause
// The lengths into which candidates cut a message. Used by candidates, their variants and shape.
#pragma once

#include "eco/planners/planner.h"

namespace eco {

// Two Ethernet frames, or six: long enough to be worth its overhead, short enough to overlap. One
// of a frame and a half would need a third more of a slow bus. first_flight (planner.h) is the
// next.
inline constexpr Bytes two_frames = 2800, six_frames = 8400;
// Where a frame's time is nothing.
inline constexpr Bytes large_segment = 131072;
// From here on a segment is long enough that the next one may wait for it.
inline constexpr Bytes huge = 256 * 1024;
// From here on a message is worth cutting up between the hosts of one switch.
inline constexpr Bytes taken_apart = 4096;
// Libraries send off at once what is shorter, so that a window would not hold it back.
inline constexpr Bytes rendezvous = 64 * 1024;

}  // namespace eco
