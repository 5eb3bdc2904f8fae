/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded beside ECO, which takes it for a part of the MPI library: a function of the library
   fails on rank 1, once. ECO_TEST_FAILS="Comm_group 2": MPI_Comm_group in its second call. What all
   ranks do together is done before it fails. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fails_now(const char* name, int* calls) {
    char failing[64] = "";
    int at = 0;
    const char* rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) rank = getenv("PMI_RANK");
    const char* what = getenv("ECO_TEST_FAILS");
    if (!rank || strcmp(rank, "1") || !what || sscanf(what, "%63s %d", failing, &at) != 2) return 0;
    return !strcmp(failing, name) && ++*calls == at;
}

/* Not the next one that is loaded, which may be ECO's. */
static void* of_library(const char* name) {
#ifdef OPEN_MPI
    const char* library = "libmpi.so.40";
#else
    const char* library = "libmpi.so.12";
#endif
    return dlsym(dlopen(library, RTLD_LAZY | RTLD_NOLOAD), name);
}

#define NEXT(name, parameters) ((int(*) parameters)of_library("PMPI_" #name))
#define LOCAL(name, parameters, arguments)                                                         \
    int PMPI_##name parameters {                                                                   \
        static int calls;                                                                          \
        if (fails_now(#name, &calls)) return MPI_ERR_INTERN;                                       \
        return NEXT(name, parameters) arguments;                                                   \
    }
#define TOGETHER(name, parameters, arguments)                                                      \
    int PMPI_##name parameters {                                                                   \
        static int calls;                                                                          \
        const int code = NEXT(name, parameters) arguments;                                         \
        return fails_now(#name, &calls) ? MPI_ERR_INTERN : code;                                   \
    }

LOCAL(Comm_group, (MPI_Comm comm, MPI_Group* group), (comm, group))
LOCAL(Comm_create_keyval,
      (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* drop, int* key,
       void* extra),
      (copy, drop, key, extra))
LOCAL(Group_translate_ranks, (MPI_Group a, int n, const int ranks[], MPI_Group b, int others[]),
      (a, n, ranks, b, others))
LOCAL(Comm_set_attr, (MPI_Comm comm, int key, void* value), (comm, key, value))
TOGETHER(Bcast, (void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm),
         (buffer, n, type, root, comm))
TOGETHER(Gather,
         (const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype other, int root,
          MPI_Comm comm),
         (from, n, type, to, m, other, root, comm))
TOGETHER(Allreduce,
         (const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (from, to, n, type, op, comm))
TOGETHER(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
TOGETHER(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
