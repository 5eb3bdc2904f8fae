// SPDX-License-Identifier: BSD-3-Clause
/* What the sections of the conformance program share: datatypes with known layouts, buffers that
   are compared byte for byte with what they must hold, communicators, and the report.

   A test fills two buffers alike, puts what must come into the second, lets MPI work on the first
   and compares all bytes: so gaps and margins that were overwritten are found too. */
#ifndef CHECK_H
#define CHECK_H
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { INT32, INT64, INT8, UINT16, UINT64, FLOAT, DOUBLE, COMPLEX, KINDS } Kind;

/* A datatype of which it is known where its elements lie. */
typedef struct {
    const char* name;
    MPI_Datatype type;
    Kind kind;
    int slots;         /* elements in one item of the type */
    ptrdiff_t slot[4]; /* bytes from the item's start to each of them */
    ptrdiff_t extent;  /* bytes from an item to the next */
} Form;

enum { derived_forms = 8, most_slots = 6 }; /* every form's slots divide most_slots */
extern Form plain[KINDS];                   /* the predefined types */
extern Form derived[derived_forms];         /* made of INT32 only, so all match each other */
void make_forms(void);
void free_forms(void);

typedef struct {
    unsigned char *memory, *origin; /* origin is what MPI gets; there is room on both sides of it */
    size_t bytes;
} Buffer;

Buffer buffer(const Form* form, size_t elements);
void put(Buffer b, const Form* form, size_t element, long value);
void fill(Buffer b, const Form* form, size_t first, size_t elements, int source);
/* Fails unless both hold the same bytes; adds them to the hash; frees both. */
void same(Buffer got, Buffer want);
/* The test value of an element that comes from a source (a rank, or a pair of ranks). */
long value(int source, size_t element);

typedef struct {
    const char* name;
    MPI_Comm comm;
    int rank, size;
} Place;

enum { most_places = 8 };
extern Place places[most_places]; /* [0] is the world; only those that this rank is in */
extern int place_count;
void make_places(void);
void free_places(void);

extern int light;         /* --light: fewer sizes and roots, for slow networks */
extern int communicators; /* --communicators N */

/* What is being done, for the message when it fails or hangs. */
void doing(const char* format, ...) __attribute__((format(printf, 1, 2)));
void fail(const char* file, int line, const char* format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) fail(__FILE__, __LINE__, "%s does not hold", #condition);                \
    } while (0)
#define EXPECT(got, want)                                                                          \
    do {                                                                                           \
        long got_ = (long)(got), want_ = (long)(want);                                             \
        digest(&got_, sizeof got_);                                                                \
        if (got_ != want_) fail(__FILE__, __LINE__, "%s is %ld, not %ld", #got, got_, want_);      \
    } while (0)
void digest(const void* bytes, size_t count);
void* room(size_t bytes);

/* Sizes in elements, ended by -1: small ones, for every place and root, and large ones. */
extern const int small_sizes[], large_sizes[], derived_sizes[];

/* Of a place: every root when the size is small, else the first and the last. */
int next_root(const Place* p, int root, int elements);

/* Combines all ranks' hashes and prints `ok name hash` on rank 0; not by collectives. */
void begin_section(const char* name, int patience);
void end_section(void);
void open_report(void);
void close_report(void);

#endif
