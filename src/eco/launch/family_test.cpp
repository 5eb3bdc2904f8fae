#include "eco/launch/family.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Family, ByLibrary) {
    EXPECT_EQ(family_of_library("libmpi.so.40"), Family::openmpi);
    EXPECT_EQ(family_of_library("libmpi.so.40.30.7"), Family::openmpi);
    EXPECT_EQ(family_of_library("libmpi_usempif08.so.40"), Family::openmpi);
    EXPECT_EQ(family_of_library("libmpi.so.12"), Family::mpich);
    EXPECT_EQ(family_of_library("libmpich.so.12"), Family::mpich);
    EXPECT_EQ(family_of_library("libmpifort.so.12"), Family::mpich);
    EXPECT_EQ(family_of_library("libmpi_abi.so.1"), Family::abi);
    EXPECT_EQ(family_of_library("libmpi_abi.so"), Family::abi);
    for (const char* other : {"libc.so.6", "libmpi", "libmpi.so", "libmpi.so.400", "libmpfr.so.6",
                              "libompitrace.so.40", ""})
        EXPECT_FALSE(family_of_library(other)) << other;
}

TEST(Family, NamesThereAndBack) {
    for (const Family family : {Family::openmpi, Family::mpich, Family::abi})
        EXPECT_EQ(family_named(family_name(family)), family);
    EXPECT_FALSE(family_named("mvapich"));
}

TEST(Launch, ByWhatTheLauncherLeaves) {
    const Launch openmpi = read_launch(
        {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "2"}, {"PMIX_RANK", "2"}});
    EXPECT_TRUE(openmpi.launched);
    EXPECT_EQ(openmpi.family, Family::openmpi);
    EXPECT_FALSE(openmpi.first);

    const Launch mpich = read_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}});
    EXPECT_EQ(mpich.family, Family::mpich);
    EXPECT_TRUE(mpich.first);

    EXPECT_EQ(read_launch({{"PMIX_RANK", "0"}, {"I_MPI_FABRICS", "shm"}}).family, Family::mpich);
    EXPECT_EQ(read_launch({{"PMIX_RANK", "0"}, {"OMPI_MCA_btl", "tcp"}}).family, Family::openmpi);
}

TEST(Launch, SettingsInAShellAreNoLauncher) {
    const Launch none = read_launch({{"OMPI_MCA_btl", "tcp"}, {"I_MPI_ROOT", "/opt/intel"}});
    EXPECT_FALSE(none.launched);
    EXPECT_FALSE(none.family);
    EXPECT_TRUE(none.first);
}

TEST(Launch, ABatchSystemsStarterDoesNotTellTheMpi) {
    const Launch slurm = read_launch({{"SLURM_PROCID", "3"}});
    EXPECT_TRUE(slurm.launched);
    EXPECT_FALSE(slurm.family);
    EXPECT_FALSE(slurm.first);
    // mpirun inside the batch job: its rank counts.
    EXPECT_TRUE(read_launch({{"SLURM_PROCID", "3"}, {"PMI_RANK", "0"}}).first);
}

}  // namespace eco
