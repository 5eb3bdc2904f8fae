/* SPDX-License-Identifier: BSD-3-Clause */
/* With -DLIBRARY an MPI library whose handles are like no other's, of one rank; else a program that
   is linked with it. */
#include <stdio.h>
#include <string.h>

typedef struct handle* MPI_Comm;
typedef struct handle* MPI_Datatype;

#ifdef LIBRARY
#define DEFINE(name, parameters, ...)                                                              \
    int PMPI_##name parameters { __VA_ARGS__ return 0; }                                           \
    int MPI_##name parameters __attribute__((weak, alias("PMPI_" #name)));

DEFINE(Init, (int* argc, char*** argv), (void)argc, (void)argv;)
DEFINE(Finalize, (void), )
DEFINE(Comm_rank, (MPI_Comm comm, int* rank), (void)comm, *rank = 0;)
DEFINE(Comm_size, (MPI_Comm comm, int* size), (void)comm, *size = 1;)
DEFINE(Bcast, (int* data, int count, MPI_Datatype type, int root, MPI_Comm comm), (void)count,
       (void)type, (void)root, (void)comm, *data += 1;)
#ifndef SAYS_NOTHING
DEFINE(Get_library_version, (char* version, int* length), strcpy(version, "HPE HMPT 2.28\nbuilt");
       *length = (int)strlen(version);)
#endif
#else
int MPI_Init(int*, char***);
int MPI_Finalize(void);
int MPI_Bcast(int*, int, MPI_Datatype, int, MPI_Comm);

int main(int argc, char** argv) {
    int data = 1;
    MPI_Init(&argc, &argv);
    MPI_Bcast(&data, 1, NULL, 0, NULL);
    MPI_Finalize();
    printf("%d\n", data);
    return 0;
}
#endif
