// SPDX-License-Identifier: BSD-3-Clause
// Whether all ranks run the same build of ECO, as the messages by which they measure have the form
// of a C++ struct of that build. Called by probe_main.cpp before any other message.
#pragma once

namespace eco {

// Collective over MPI_COMM_WORLD. Throws Error on all ranks if some build differs from rank 0's;
// the message names the hosts.
void check_same_build();

}  // namespace eco
