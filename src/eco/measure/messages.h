// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks of MPI_COMM_WORLD while most ranks are idle: a rank that waits sleeps,
// because a spinning rank would slow the others on its host.
#pragma once

#include <cstddef>
#include <string>

#include "eco/base/units.h"

namespace eco {

// Throw MpiError.
void send_bytes(const void* data, std::size_t bytes, int to, int tag);
void await_bytes(void* data, std::size_t bytes, int from, int tag);
// Looks less and less often, at last each `longest` microseconds: what comes may lie that long.
void sleep_until_message(int from, int tag, unsigned longest = 8000);

// What a look for a message takes this rank, where no message is: a library that has looked in vain
// for a while may sleep in it. Takes some milliseconds at most, if it does. Throws MpiError.
Seconds time_of_look();

// Collective. Where rank 0 has more to do than the others: they sleep, and do not keep a processor
// that they share with it from its work.
void sleep_until_rank_0_comes();

// Every rank's text, in rank order one after the other, on all ranks. Collective.
std::string join_texts(const std::string& own);

}  // namespace eco
