// SPDX-License-Identifier: BSD-3-Clause
#include "eco/launch/mpi_abi.h"

#include <gtest/gtest.h>

namespace eco::launch {

TEST(Abi, ByLibrary) {
    EXPECT_EQ(abi_of_library("libmpi.so.40"), Abi::openmpi);
    EXPECT_EQ(abi_of_library("libmpi.so.40.30.7"), Abi::openmpi);
    EXPECT_EQ(abi_of_library("libmpi_usempif08.so.40"), Abi::openmpi);
    EXPECT_EQ(abi_of_library("libmpi.so.12"), Abi::mpich);
    EXPECT_EQ(abi_of_library("libmpich.so.12"), Abi::mpich);
    EXPECT_EQ(abi_of_library("libmpifort.so.12"), Abi::mpich);
    EXPECT_EQ(abi_of_library("libmpi_abi.so.1"), Abi::standard);
    EXPECT_EQ(abi_of_library("libmpi_abi.so"), Abi::standard);
    for (const char* other : {"libc.so.6", "libmpi", "libmpi.so", "libmpi.so.400", "libmpfr.so.6",
                              "libompitrace.so.40", ""})
        EXPECT_FALSE(abi_of_library(other)) << other;
}

TEST(Abi, NamesThereAndBack) {
    for (const Abi abi : {Abi::openmpi, Abi::mpich, Abi::standard})
        EXPECT_EQ(abi_named(abi_name(abi)), abi);
    EXPECT_FALSE(abi_named("mvapich"));
}

TEST(Launch, ByWhatTheLauncherLeaves) {
    const Launch openmpi = read_launch(
        {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "2"}, {"PMIX_RANK", "2"}});
    EXPECT_TRUE(openmpi.launched);
    EXPECT_EQ(openmpi.abi, Abi::openmpi);
    EXPECT_FALSE(openmpi.first);

    const Launch mpich = read_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}});
    EXPECT_EQ(mpich.abi, Abi::mpich);
    EXPECT_TRUE(mpich.first);

    // Hydra's -pmi-port.
    const Launch by_port = read_launch({{"PMI_ID", "1"}, {"PMI_PORT", "n0:4000"}});
    EXPECT_EQ(by_port.abi, Abi::mpich);
    EXPECT_FALSE(by_port.first);

    EXPECT_EQ(read_launch({{"PMIX_RANK", "0"}, {"I_MPI_FABRICS", "shm"}}).abi, Abi::mpich);
    EXPECT_EQ(read_launch({{"PMIX_RANK", "0"}, {"OMPI_MCA_btl", "tcp"}}).abi, Abi::openmpi);
}

TEST(Launch, SettingsInAShellAreNoLauncher) {
    const Launch none = read_launch({{"OMPI_MCA_btl", "tcp"}, {"I_MPI_ROOT", "/opt/intel"}});
    EXPECT_FALSE(none.launched);
    EXPECT_FALSE(none.abi);
    EXPECT_TRUE(none.first);
}

TEST(Launch, ABatchSystemsStarterDoesNotTellTheMpi) {
    const Launch slurm = read_launch({{"SLURM_PROCID", "3"}});
    EXPECT_TRUE(slurm.launched);
    EXPECT_FALSE(slurm.abi);
    EXPECT_FALSE(slurm.first);
    // mpirun inside the batch job: its rank counts.
    EXPECT_TRUE(read_launch({{"SLURM_PROCID", "3"}, {"PMI_RANK", "0"}}).first);
}

}  // namespace eco::launch
