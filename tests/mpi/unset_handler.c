/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions whose operator the library must be asked about, then an error on no communicator:
 * the handler of MPI_COMM_WORLD gets it where MPI_COMM_SELF has none of its own. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    float complex_in[2] = {1, 2}, complex_out[2];
    double in = 1, out;
    int rank, class;
    MPI_Comm twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Barrier(twin);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Allreduce(complex_in, complex_out, 1, MPI_C_FLOAT_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
    MPI_Error_class(MPI_Barrier(MPI_COMM_NULL), &class);
    if (rank == 0) printf("returned class %d\n", class);
    MPI_Finalize();
    return 0;
}
