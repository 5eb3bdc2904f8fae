// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/singleton_test.h"

#include <gtest/gtest.h>

namespace eco::test {

namespace {

class Singleton : public testing::Environment {
public:
    void SetUp() override {
        open_native(ECO_TEST_LIBMPI);
        ASSERT_EQ(native().Init(nullptr, nullptr), MPI_SUCCESS);
    }
    void TearDown() override { native().Finalize(); }
};

[[maybe_unused]] auto* const registered = testing::AddGlobalTestEnvironment(new Singleton);

}  // namespace

}  // namespace eco::test
