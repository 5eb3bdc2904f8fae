// SPDX-License-Identifier: BSD-3-Clause
/* An unmodified MPI program that goes through all blocking collectives and checks every result,
   byte for byte. Rank 0 prints `ok SECTION HASH` for each section, at last `all ok`; the hashes of
   a native run and of one with ECO must be equal. On the first difference it says where, and exits.

       mpirun -n 8 conformance [--sections bcast,scan] [--light] [--communicators N] [--threads]
                               [--patience SECONDS] [--list] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sections.h"

static const struct {
    const char* name;
    void (*run)(void);
} sections[] = {
    {"barrier", section_barrier},
    {"bcast", section_bcast},
    {"gather", section_gather},
    {"scatter", section_scatter},
    {"allgather", section_allgather},
    {"alltoall", section_alltoall},
    {"vectors", section_vectors},
    {"alltoallw", section_alltoallw},
    {"neighbours", section_neighbours},
    {"reduce", section_reduce},
    {"allreduce", section_allreduce},
    {"scan", section_scan},
    {"reduce_scatter", section_reduce_scatter},
    {"operators", section_operators},
    {"user_operators", section_user_operators},
    {"types", section_types},
    {"large_counts", section_large_counts},
    {"mixed", section_mixed},
    {"profiling", section_profiling},
    {"rooms", section_rooms},
    {"long_blocks", section_long_blocks},
    {"errors", section_errors},
    {"intercommunicators", section_intercommunicators},
    {"cartesian", section_cartesian},
    {"attributes", section_attributes},
    {"communicators", section_communicators},
    {"threads", section_threads},
};
enum { section_count = sizeof sections / sizeof *sections };

static int listed(const char* list, const char* name) {
    size_t length = strlen(name);
    for (const char* at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == 0)) return 1;
    return 0;
}

int main(int argc, char** argv) {
    const char* only = NULL;
    int threads = 0, patience = 120, provided, list = 0;
    for (int a = 1; a < argc; a++) {
        const char* next = a + 1 < argc ? argv[a + 1] : "";
        if (!strcmp(argv[a], "--sections"))
            only = next, a++;
        else if (!strcmp(argv[a], "--communicators"))
            communicators = atoi(next), a++;
        else if (!strcmp(argv[a], "--patience"))
            patience = atoi(next), a++;
        else if (!strcmp(argv[a], "--light"))
            light = 1;
        else if (!strcmp(argv[a], "--threads"))
            threads = 1;
        else if (!strcmp(argv[a], "--list"))
            list = 1;
        else {
            fprintf(stderr, "conformance: unknown option %s\n", argv[a]);
            return 2;
        }
    }
    for (int s = 0; s < section_count && list; s++) puts(sections[s].name);
    if (list) return 0;

    if (threads)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    prepare_finalize();
    make_forms();
    make_places();
    open_report();
    for (int s = 0; s < section_count; s++) {
        if (only && !listed(only, sections[s].name)) continue;
        if (sections[s].run == section_threads && !threads) continue;
        /* Native libraries fail here, or hang. */
        if (sections[s].run == section_long_blocks && !only) continue;
        begin_section(sections[s].name, patience);
        sections[s].run();
        end_section();
    }
    begin_section("finalize", patience);
    close_report();
    free_places();
    free_forms();
    MPI_Finalize();
    return 0;
}
