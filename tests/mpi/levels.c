// Prints, from rank 0, each rank's clusters by eco.h; checks them against MPI_Comm_split_type.
#include <eco.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0, wrong = 0, all = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int r = 0; rank == 0 && r < ranks; ++r) {
        int levels = 0, id = 0, leader = 0;
        ECO_Comm_levels(MPI_COMM_WORLD, r, &levels);
        printf("%d:", r);
        for (int level = 0; level < levels; ++level) {
            ECO_Comm_cluster(MPI_COMM_WORLD, r, level, &id);
            ECO_Comm_leader(MPI_COMM_WORLD, r, level, &leader);
            printf(" %d/%d", id, leader);
        }
        printf("\n");
    }
    int id = 0, near = 0, found = 0, size = 0, code = 0;
    ECO_Comm_cluster(MPI_COMM_WORLD, rank, 0, &id);
    code = ECO_Comm_cluster(MPI_COMM_WORLD, rank, 99, &near);
    wrong += code != MPI_ERR_ARG;
    ECO_Comm_nearest(MPI_COMM_WORLD, 1, &near, &found);
    wrong += found != 1;
    if (argc > 1) {
        MPI_Info info;
        MPI_Comm subnet;
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_hw_resource_type", "eco:subnet");
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &subnet);
        MPI_Info_free(&info);
        MPI_Comm_size(subnet, &size);
        int* ids = malloc((size_t)size * sizeof *ids);
        MPI_Allgather(&id, 1, MPI_INT, ids, 1, MPI_INT, subnet);
        for (int i = 0; i < size; ++i) wrong += ids[i] != id;
        int near_id = -1;
        ECO_Comm_cluster(MPI_COMM_WORLD, near, 0, &near_id);
        wrong += size > 1 && near_id != id;
        free(ids);
        MPI_Comm_free(&subnet);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) puts("all ok");
    MPI_Finalize();
    return all != 0;
}
