// SPDX-License-Identifier: BSD-3-Clause
/* The sections, in the order in which they run; see main.c. */
#ifndef SECTIONS_H
#define SECTIONS_H

void section_barrier(void);
void section_bcast(void);
void section_gather(void);
void section_scatter(void);
void section_allgather(void);
void section_alltoall(void);
void section_vectors(void);
void section_alltoallw(void);
void section_neighbours(void);
void section_reduce(void);
void section_allreduce(void);
void section_scan(void);
void section_reduce_scatter(void);
void section_operators(void);
void section_user_operators(void);
void section_types(void);
void section_large_counts(void);
void section_mixed(void);
void section_rooms(void);
void section_long_blocks(void);
void section_errors(void);
void section_intercommunicators(void);
void section_cartesian(void);
void section_attributes(void);
void section_communicators(void);
void section_profiling(void);
void section_threads(void);
/* Leaves work to be done inside MPI_Finalize. */
void prepare_finalize(void);

#endif
