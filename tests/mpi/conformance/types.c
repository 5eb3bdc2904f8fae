// SPDX-License-Identifier: BSD-3-Clause
/* Datatypes that need care: absolute addresses with MPI_BOTTOM, a struct of several types, handles
   that are freed and made again, types that are freed before the data arrive. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sections.h"

typedef struct {
    double weight;
    char tag;
    int id[2];
} Record;

static MPI_Datatype record_type(void) {
    MPI_Datatype loose, type;
    MPI_Type_create_struct(
        3, (int[]){1, 1, 2},
        (MPI_Aint[]){offsetof(Record, weight), offsetof(Record, tag), offsetof(Record, id)},
        (MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR, MPI_INT}, &loose);
    MPI_Type_create_resized(loose, 0, sizeof(Record), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&loose);
    return type;
}

static void records(const Place* p) {
    enum { count = 40 };
    doing("records on %s", p->name);
    MPI_Datatype type = record_type();
    Record mine[count], *all = room((size_t)p->size * sizeof mine);
    memset(mine, 0x11, sizeof mine);
    memset(all, 0x77, (size_t)p->size * sizeof mine);
    for (int n = 0; n < count; n++) {
        mine[n].weight = p->rank + 0.5 * n;
        mine[n].tag = (char)('a' + n % 26);
        mine[n].id[0] = p->rank;
        mine[n].id[1] = n;
    }
    MPI_Allgather(mine, count, type, all, count, type, p->comm);
    for (int r = 0; r < p->size; r++)
        for (int n = 0; n < count; n++) {
            const Record* got = &all[r * count + n];
            unsigned char beside[3]; /* the gap after the tag */
            memcpy(beside, (const char*)got + offsetof(Record, tag) + 1, 3);
            EXPECT(got->weight * 2, 2 * r + n);
            EXPECT(got->tag, 'a' + n % 26);
            EXPECT(got->id[0], r);
            EXPECT(got->id[1], n);
            EXPECT(beside[0] & beside[1] & beside[2], 0x77);
        }
    free(all);
    MPI_Type_free(&type);
}

/* Two variables anywhere in memory, sent from MPI_BOTTOM. */
static void absolute(const Place* p) {
    doing("MPI_BOTTOM on %s", p->name);
    static int one;
    double* two = room(sizeof *two);
    for (int root = 0; root < p->size; root++) {
        MPI_Aint at[2];
        MPI_Datatype type;
        MPI_Get_address(&one, &at[0]);
        MPI_Get_address(two, &at[1]);
        MPI_Type_create_struct(2, (int[]){1, 1}, at, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type);
        MPI_Type_commit(&type);
        one = p->rank == root ? 40 + root : 0;
        *two = p->rank == root ? 50 + root : 0;
        MPI_Bcast(MPI_BOTTOM, 1, type, root, p->comm);
        EXPECT(one, 40 + root);
        EXPECT(*two, 50 + root);

        int* ints = room((size_t)p->size * 64);
        memset(ints, 0, (size_t)p->size * 64);
        one = p->rank;
        *two = p->rank + 100;
        MPI_Datatype wide; /* at the root, a record of an int and a double, 64 bytes apart */
        MPI_Datatype loose;
        MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8},
                               (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &loose);
        MPI_Type_create_resized(loose, 0, 64, &wide);
        MPI_Type_commit(&wide);
        MPI_Gather(MPI_BOTTOM, 1, type, ints, 1, wide, root, p->comm);
        if (p->rank == root)
            for (int r = 0; r < p->size; r++) {
                double second;
                memcpy(&second, ints + 16 * r + 2, sizeof second);
                EXPECT(ints[16 * r], r);
                EXPECT(second, r + 100);
            }
        free(ints);
        MPI_Type_free(&loose);
        MPI_Type_free(&wide);
        MPI_Type_free(&type);
    }
    free(two);
}

/* A new datatype gets the handle of the one freed before it, and is laid out otherwise. */
static void reused_handles(const Place* p) {
    int data[64], size = p->size;
    for (int turn = 0; turn < 60; turn++) {
        doing("datatype %d made and freed on %s", turn, p->name);
        int stride = 1 + turn % 7, count = 1 + turn % 5, root = turn % size;
        MPI_Datatype type;
        MPI_Type_vector(count, 1, stride, MPI_INT, &type);
        MPI_Type_commit(&type);
        for (int n = 0; n < 64; n++) data[n] = p->rank == root ? turn * 64 + n : -n;
        MPI_Bcast(data, 1, type, root, p->comm);
        MPI_Type_free(&type);
        for (int n = 0; n < 64; n++) {
            int sent = n % stride == 0 && n / stride < count;
            EXPECT(data[n], p->rank == root || sent ? turn * 64 + n : -n);
        }
    }
}

/* The same number of bytes in ever other types and counts. */
static void matching(const Place* p) {
    doing("bytes of one message in other types on %s", p->name);
    MPI_Datatype whole, pair;
    MPI_Type_contiguous(120, MPI_INT, &whole);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&whole);
    MPI_Type_commit(&pair);
    MPI_Datatype types[3] = {whole, pair, MPI_INT};
    int counts[3] = {1, 60, 120}, data[120];
    for (int turn = 0; turn < 6; turn++) {
        int mine = (turn + p->rank) % 3, root = turn % p->size;
        for (int n = 0; n < 120; n++) data[n] = p->rank == root ? turn + n : 0;
        MPI_Bcast(data, counts[mine], types[mine], root, p->comm);
        for (int n = 0; n < 120; n++) EXPECT(data[n], turn + n);
    }
    MPI_Type_free(&whole);
    MPI_Type_free(&pair);
}

/* A type of no bytes at all, and one whose items have no extent. */
static void empty(const Place* p) {
    doing("empty types on %s", p->name);
    MPI_Datatype nothing, flat, loose;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    int data[2] = {5, 6};
    MPI_Bcast(data, 3, nothing, 0, p->comm);
    MPI_Allgather(data, 2, nothing, NULL, 2, nothing, p->comm);
    EXPECT(data[0] + data[1], 11);
    MPI_Type_contiguous(1, MPI_INT, &loose);
    MPI_Type_create_resized(loose, 0, 0, &flat);
    MPI_Type_commit(&flat);
    int* all = room((size_t)p->size * sizeof(int));
    data[0] = p->rank * 3;
    MPI_Allgather(data, 1, flat, all, 1, MPI_INT, p->comm);
    for (int r = 0; r < p->size; r++) EXPECT(all[r], 3 * r);
    free(all);
    MPI_Type_free(&loose);
    MPI_Type_free(&flat);
    MPI_Type_free(&nothing);
}

void section_types(void) {
    for (int n = 0; n < place_count; n++) {
        records(&places[n]);
        absolute(&places[n]);
        reused_handles(&places[n]);
        matching(&places[n]);
        empty(&places[n]);
    }
}
