// SPDX-License-Identifier: BSD-3-Clause
/* The datatypes: predefined ones, and derived ones with gaps, holes at the ends, parts before the
   start, and items that interleave. */
#include "check.h"

Form plain[KINDS], derived[derived_forms];

static void finish(int index, const char* name, MPI_Datatype type, int slots,
                   const ptrdiff_t* slot) {
    MPI_Type_commit(&type);
    Form* form = &derived[index];
    *form = (Form){.name = name, .type = type, .kind = INT32, .slots = slots};
    for (int s = 0; s < slots; s++) form->slot[s] = slot[s];
    MPI_Aint low, extent;
    MPI_Type_get_extent(type, &low, &extent);
    form->extent = extent;
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint low, MPI_Aint extent) {
    MPI_Datatype changed;
    MPI_Type_create_resized(type, low, extent, &changed);
    MPI_Type_free(&type);
    return changed;
}

void make_forms(void) {
    plain[INT32] = (Form){"int", MPI_INT, INT32, 1, {0}, sizeof(int)};
    plain[INT64] = (Form){"int64", MPI_INT64_T, INT64, 1, {0}, 8};
    plain[INT8] = (Form){"int8", MPI_INT8_T, INT8, 1, {0}, 1};
    plain[UINT16] = (Form){"uint16", MPI_UINT16_T, UINT16, 1, {0}, 2};
    plain[UINT64] = (Form){"uint64", MPI_UINT64_T, UINT64, 1, {0}, 8};
    plain[FLOAT] = (Form){"float", MPI_FLOAT, FLOAT, 1, {0}, sizeof(float)};
    plain[DOUBLE] = (Form){"double", MPI_DOUBLE, DOUBLE, 1, {0}, sizeof(double)};
    plain[COMPLEX] = (Form){"complex", MPI_C_DOUBLE_COMPLEX, COMPLEX, 1, {0}, 16};

    MPI_Datatype t;
    derived[0] = plain[INT32];
    MPI_Type_contiguous(3, MPI_INT, &t);
    finish(1, "contiguous", t, 3, (ptrdiff_t[]){0, 4, 8});
    MPI_Type_vector(2, 1, 3, MPI_INT, &t);
    finish(2, "vector with gaps", t, 2, (ptrdiff_t[]){0, 12});
    MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){4, 16},
                           (MPI_Datatype[]){MPI_INT, MPI_INT}, &t);
    finish(3, "struct", t, 3, (ptrdiff_t[]){4, 16, 20});
    MPI_Type_contiguous(3, MPI_INT, &t);
    finish(4, "low bound -8", resized(t, -8, 28), 3, (ptrdiff_t[]){0, 4, 8});
    MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){-8, 4}, MPI_INT, &t);
    finish(5, "part before the start", resized(t, -8, 24), 2, (ptrdiff_t[]){-8, 4});
    MPI_Type_create_hvector(3, 1, -8, MPI_INT, &t);
    finish(6, "backwards", t, 3, (ptrdiff_t[]){0, -8, -16});
    /* Two rows far apart, the next item one column on: items lie within each other. As many columns
       as an all-to-all has items, but no more: they are compared each time. */
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int columns = ranks <= 16 ? 10007 : 1009 * ranks;
    MPI_Type_vector(2, 1, columns, MPI_INT, &t);
    finish(7, "columns", resized(t, 0, 4), 2, (ptrdiff_t[]){0, 4 * columns});
}

void free_forms(void) {
    for (int f = 1; f < derived_forms; f++) MPI_Type_free(&derived[f].type);
}
