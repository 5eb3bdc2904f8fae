// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/messages.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "eco/measure/since.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

namespace {

// Apart from the tags of orders and their figures.
enum TextTag { ask_tag = 11, text_tag, come_tag, look_tag };

void send_text(const std::string& text, int to) {
    const std::size_t length = text.size();
    send_bytes(&length, sizeof length, to, text_tag);
    send_bytes(text.data(), length, to, text_tag);
}

std::string await_text(int from) {
    std::size_t length = 0;
    await_bytes(&length, sizeof length, from, text_tag);
    std::string text(length, ' ');
    await_bytes(text.data(), length, from, text_tag);
    return text;
}

}  // namespace

void send_bytes(const void* data, std::size_t bytes, int to, int tag) {
    check_mpi(
        native().Send(data, static_cast<int>(bytes), native().byte, to, tag, native().comm_world));
}

namespace {

// Who waits for long looks less often: many ranks may share a few processors.
constexpr unsigned least_nap = 1000;
constexpr int naps_of_a_length = 16;

}  // namespace

void sleep_until_message(int from, int tag, unsigned longest) {
    int there = 0;
    unsigned nap = least_nap;
    for (int naps = 1;; ++naps) {
        check_mpi(native().Iprobe(from, tag, native().comm_world, &there, MPI_STATUS_IGNORE));
        if (there) return;
        usleep(nap);
        if (naps % naps_of_a_length == 0) nap = std::min(2 * nap, longest);
    }
}

// The least, as other programs may take the processor.
Seconds time_of_look() {
    constexpr int before_it_sleeps = 40, looks = 20;
    Seconds least = never;
    for (int look = 0; look < before_it_sleeps + looks; ++look) {
        int there = 0;
        const auto began = std::chrono::steady_clock::now();
        check_mpi(native().Iprobe(MPI_ANY_SOURCE, look_tag, native().comm_world, &there,
                                  MPI_STATUS_IGNORE));
        if (look >= before_it_sleeps) least = std::min(least, since(began));
    }
    return least;
}

void await_bytes(void* data, std::size_t bytes, int from, int tag) {
    const Native& mpi = native();
    sleep_until_message(from, tag);
    check_mpi(mpi.Recv(data, static_cast<int>(bytes), mpi.byte, from, tag, mpi.comm_world,
                       MPI_STATUS_IGNORE));
}

void sleep_until_rank_0_comes() {
    int rank = 0, ranks = 0;
    check_mpi(native().Comm_rank(native().comm_world, &rank));
    check_mpi(native().Comm_size(native().comm_world, &ranks));
    char word = 0;
    if (rank != 0) return await_bytes(&word, 1, 0, come_tag);
    for (int other = 1; other < ranks; ++other) send_bytes(&word, 1, other, come_tag);
}

std::string join_texts(const std::string& own) {
    int rank = 0, ranks = 0;
    check_mpi(native().Comm_rank(native().comm_world, &rank));
    check_mpi(native().Comm_size(native().comm_world, &ranks));
    char ask = 0;
    if (rank != 0) {
        // Rank 0 may still be at work, and a long text would wait for it awake.
        await_bytes(&ask, 1, 0, ask_tag);
        send_text(own, 0);
        return await_text(0);
    }
    std::string all = own;
    for (int other = 1; other < ranks; ++other) send_bytes(&ask, 1, other, ask_tag);
    for (int other = 1; other < ranks; ++other) all += await_text(other);
    for (int other = 1; other < ranks; ++other) send_text(all, other);
    return all;
}

}  // namespace eco
