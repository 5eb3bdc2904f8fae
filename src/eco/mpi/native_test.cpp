// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/native.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Native, KnowsWhatSharesTheAbiOfMpich) {
    for (const char* said : {
             "MPICH Version:      5.0.2\nMPICH Release date: …",
             "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\nMPI BUILD INFO : …",
             "Intel(R) MPI Library 2021.10 for Linux* OS\n",
             "MVAPICH2 Version      :\t2.3.7\n",
             "MVAPICH Version: 4.0\n",
         })
        EXPECT_TRUE(says_mpich_abi(said)) << said;
}

TEST(Native, DoesNotTakeOthersForIt) {
    for (const char* said : {
             "",
             "HPE HMPT 2.28",
             "NEC MPI: Version 3.5.0",
             "MPItrampoline 5.4.0, using MPIwrapper 2.11.1 wrapping:\nMPICH Version: 4.2.0",
             "Open MPI v5.0.11, package: …",
         })
        EXPECT_FALSE(says_mpich_abi(said)) << said;
}

}  // namespace eco
