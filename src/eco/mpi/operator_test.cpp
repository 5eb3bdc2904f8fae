// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/operator.h"

#include <gtest/gtest.h>

#include "eco/mpi/singleton_test.h"

namespace eco {

namespace {

class Operators : public testing::Test {
protected:
    Operators() {
        ECO_LIBRARY(MPI_Op_create)(&add, 1, &user_);
        ECO_LIBRARY(MPI_Op_create)(&add, 0, &ordered_);
    }
    ~Operators() override {
        ECO_LIBRARY(MPI_Op_free)(&user_);
        ECO_LIBRARY(MPI_Op_free)(&ordered_);
    }
    static void add(void* in, void* inout, int* length, MPI_Datatype*) {
        for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
    }
    const Type int32_{native().int32}, real64_{native().real64}, byte_{native().byte};
    MPI_Op user_{}, ordered_{};
    const MPI_Op band_ = ECO_HANDLE(MPI_Op, MPI_BAND, "ompi_mpi_op_band"),
                 maxloc_ = ECO_HANDLE(MPI_Op, MPI_MAXLOC, "ompi_mpi_op_maxloc");
};

}  // namespace

TEST_F(Operators, AUsersOwnCommutesAsItSays) {
    EXPECT_TRUE(commutes(native().sum));
    EXPECT_TRUE(commutes(user_));
    EXPECT_FALSE(commutes(ordered_));
    EXPECT_TRUE(is_operator(user_));
    EXPECT_FALSE(is_operator(native().op_null));
}

TEST_F(Operators, OnlyIntegersMayHaveAnyOrder) {
    EXPECT_TRUE(order_insensitive(native().sum, int32_));
    EXPECT_FALSE(order_insensitive(native().sum, real64_));
    EXPECT_FALSE(order_insensitive(native().max, real64_)) << "NaN, and zeros of both signs";
    EXPECT_TRUE(order_insensitive(native().max, int32_));
    EXPECT_TRUE(order_insensitive(band_, int32_));
    EXPECT_FALSE(order_insensitive(maxloc_, int32_));
    EXPECT_FALSE(order_insensitive(user_, int32_));
    // As when it was asked first.
    EXPECT_TRUE(order_insensitive(native().sum, int32_));
    EXPECT_FALSE(order_insensitive(native().sum, real64_));
}

TEST_F(Operators, TheLibraryIsAskedWhatItCombines) {
    EXPECT_TRUE(takes_type(native().sum, int32_));
    EXPECT_TRUE(takes_type(native().sum, real64_));
    EXPECT_TRUE(takes_type(band_, int32_));
    EXPECT_FALSE(takes_type(band_, real64_));
    EXPECT_FALSE(takes_type(band_, real64_)) << "the second time";
    EXPECT_FALSE(takes_type(maxloc_, real64_));
}

// Another thread would see that its handler is not set.
TEST_F(Operators, UsualNumbersLeaveErrorHandlersAlone) {
    static int set = 0;
    static decltype(native().Comm_set_errhandler) library;
    auto& taken = const_cast<Native&>(native()).Comm_set_errhandler;
    library = taken;
    taken = [](MPI_Comm comm, MPI_Errhandler handler) { return ++set, library(comm, handler); };
    const Type long_{ECO_HANDLE(MPI_Datatype, MPI_LONG, "ompi_mpi_long")},
        float_{ECO_HANDLE(MPI_Datatype, MPI_FLOAT, "ompi_mpi_float")};
    const MPI_Op land = ECO_HANDLE(MPI_Op, MPI_LAND, "ompi_mpi_op_land");
    EXPECT_TRUE(takes_type(native().sum, long_));
    EXPECT_TRUE(takes_type(land, long_));
    EXPECT_TRUE(order_insensitive(native().sum, long_));
    EXPECT_TRUE(takes_type(native().min, float_));
    EXPECT_FALSE(order_insensitive(native().sum, float_));
    EXPECT_EQ(set, 0);
    EXPECT_FALSE(takes_type(land, float_)) << "the library is asked";
    taken = library;
    EXPECT_GT(set, 0);
}

TEST_F(Operators, AUsersOwnTakesAnyType) {
    MPI_Datatype pair{};
    const int count = 2;
    const MPI_Aint place = 0;
    native().Type_create_hindexed(1, &count, &place, native().int32, &pair);
    native().Type_commit(&pair);
    EXPECT_TRUE(takes_type(user_, Type(pair)));
    EXPECT_FALSE(takes_type(native().sum, Type(pair)));
    native().Type_free(&pair);
}

}  // namespace eco
