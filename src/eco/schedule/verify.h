// SPDX-License-Identifier: BSD-3-Clause
// Runs a whole schedule symbolically and says whether it does what its collective defines: every
// rank ends with exactly the contributions it must have, each once, in rank order where the
// operator does not commute; ranks that get one sum combine the same operands in the same order and
// in the same pairs, so that they get the same bits; nothing deadlocks even if every send waits for
// its receiver; no two tasks that are not ordered touch the same memory; every message has one
// sender and one receiver that agree on its chunks; native tasks are the same ones, in one order,
// on all ranks of a group, and nothing else is under way on a rank while one blocks it. Called by
// every test of a planner.
#pragma once

#include <string>

#include "eco/schedule/program.h"

namespace eco {

// Empty when the schedule is right, else one sentence that says what is wrong and where.
// Cost: the length of all programs, and the square of the tasks that touch one chunk.
std::string verify(const Request& request, const Programs& programs);

}  // namespace eco
