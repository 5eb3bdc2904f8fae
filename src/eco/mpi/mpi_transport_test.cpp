// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/mpi_transport.h"

#include <gtest/gtest.h>

#include <exception>
#include <numeric>
#include <type_traits>
#include <vector>

namespace eco {

// What catches std::exception at a boundary lets no MPI error out.
static_assert(std::is_base_of_v<std::exception, MpiError>);

TEST(MpiTransport, WhatItCopiedOutlivesItWhileItIsUnderWay) {
    constexpr int bytes = 16384, tag = 7;
    DeferredSends deferred_sends;
    deferred_sends.begin({true});
    ASSERT_TRUE(deferred_sends.suits(0, bytes));
    std::vector<char> sent(bytes), received(bytes);
    std::iota(sent.begin(), sent.end(), char{1});
    const std::vector<char> data = sent;
    {
        MpiTransport transport(native().comm_self, {}, {}, &deferred_sends);
        transport.send(0, sent.data(), bytes, 0, tag);
    }
    // Takes the place of the copy, if that was freed.
    const std::vector<std::vector<char>> others(4, std::vector<char>(bytes, 'x'));
    MPI_Status status;
    ASSERT_EQ(
        native().Recv(received.data(), bytes, native().byte, 0, tag, native().comm_self, &status),
        MPI_SUCCESS);
    EXPECT_EQ(received, data);
}

#if defined(OPEN_MPI)
namespace {

int level = MPI_THREAD_SINGLE, waits = 0;
decltype(native().Waitsome) waitsome;

// How often MPI_Waitsome is called for two messages to oneself.
int waits_at(int thread_level) {
    auto& mpi = const_cast<Native&>(native());
    const Native before = mpi;
    level = thread_level;
    waits = 0;
    waitsome = mpi.Waitsome;
    mpi.Query_thread = [](int* now) { return *now = level, MPI_SUCCESS; };
    mpi.Waitsome = [](int all, MPI_Request* requests, int* count, int* which,
                      MPI_Status* statuses) {
        return ++waits, waitsome(all, requests, count, which, statuses);
    };
    int sent[2] = {3, 4}, received[2] = {};
    std::vector<int> ended;
    {
        MpiTransport transport(native().comm_self);
        for (int id : {0, 1}) transport.recv(id, &received[id], sizeof(int), 0, id);
        for (int id : {0, 1}) transport.send(2 + id, &sent[id], sizeof(int), 0, id);
        while (ended.size() < 4) transport.wait(ended);
    }
    mpi.Query_thread = before.Query_thread;
    mpi.Waitsome = before.Waitsome;
    EXPECT_EQ(received[0], 3);
    EXPECT_EQ(received[1], 4);
    return waits;
}

}  // namespace

TEST(MpiTransport, ThreadsAtOnceDoWithoutWaitsome) {
    EXPECT_GT(waits_at(MPI_THREAD_SERIALIZED), 0);
    EXPECT_EQ(waits_at(MPI_THREAD_MULTIPLE), 0);
}
#endif

}  // namespace eco
