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

}  // namespace eco
