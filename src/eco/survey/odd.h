// SPDX-License-Identifier: BSD-3-Clause
// Finds hosts that are slow: alone in their subnet because everything takes them longer, not
// because they are far away. Pure; called once the times and, where there is one, the model are
// known.
#pragma once

#include <vector>

#include "eco/survey/notes.h"

namespace eco {

// A host alone in its subnet is slow where it is farther from others by about as much as it is from
// its nearest subnet, compared with the hosts there, or where its overheads are clearly more than
// theirs, and explain why it is farther. factor: its least time to them over theirs. If there is
// nothing to compare with, none.
std::vector<Odd> slow_hosts(const Profile& profile);

}  // namespace eco
