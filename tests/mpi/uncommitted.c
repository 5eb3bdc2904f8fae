/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives with a type that was not committed: every rank gets the library's error, and the
 * communicator still works. */
#include <mpi.h>
#include <stdio.h>

#include "require.h"

int main(int argc, char** argv) {
    double block[24] = {0}, all[24 * 16];
    int class, most = 0;
    MPI_Datatype column;
    begin_program(&argc, &argv, 60);
    REQUIRE(ranks <= 16);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_vector(8, 1, 3, MPI_DOUBLE, &column);
    int codes[4];
    codes[0] = MPI_Bcast(block, 1, column, 0, MPI_COMM_WORLD);
    codes[1] = MPI_Gather(block, 1, column, all, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    codes[2] = MPI_Allgather(block, 1, column, all, 8, MPI_DOUBLE, MPI_COMM_WORLD);
    codes[3] = MPI_Alltoall(all, 1, column, all + 24 * 8, 1, column, MPI_COMM_WORLD);
    for (int i = 0; i < 4; ++i) {
        MPI_Error_class(codes[i], &class);
        if (rank == 0) printf("%s\n", class == MPI_ERR_TYPE ? "a wrong type" : "another code");
    }
    MPI_Type_commit(&column);
    block[3] = rank == 0 ? 5 : 0;
    MPI_Bcast(block, 1, column, 0, MPI_COMM_WORLD);
    REQUIRE(block[3] == 5);
    MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    REQUIRE(most == ranks - 1);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
