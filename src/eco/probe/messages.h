// Messages between ranks of MPI_COMM_WORLD while most have nothing to do: who waits sleeps, because
// a rank that spins would slow the others of its host.
#pragma once

#include <cstddef>
#include <string>

namespace eco {

// Throw MpiError.
void send_bytes(const void* data, std::size_t bytes, int to, int tag);
void await_bytes(void* data, std::size_t bytes, int from, int tag);
void sleep_until_message(int from, int tag);

// Every rank's text, in rank order one after the other, on all ranks. Collective.
std::string join_texts(const std::string& own);

}  // namespace eco
