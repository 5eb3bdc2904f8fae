// SPDX-License-Identifier: BSD-3-Clause
/* Buffers, comparison and the report. */
#include "check.h"

#include <complex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { margin = 64, untouched = 0xA5 };

int light = 0, communicators = 60;
const int small_sizes[] = {0, 1, 3, 17, 1000, -1};
const int large_sizes[] = {4096, 25601, -1};
const int derived_sizes[] = {0, 6, 60, 1200, -1};

static MPI_Comm report = MPI_COMM_NULL;
static const char* section = "start";
static char current[256];
static uint64_t hash;

void doing(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(current, sizeof current, format, arguments);
    va_end(arguments);
}

static int world_rank(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void fail(const char* file, int line, const char* format, ...) {
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "FAILED on rank %d in %s (%s:%d): %s: %s\n", world_rank(), section, file, line,
            current, message);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static void on_alarm(int signal) {
    (void)signal;
    char text[400];
    int length = snprintf(text, sizeof text, "FAILED: hangs in %s: %s\n", section, current);
    if (write(STDERR_FILENO, text, (size_t)length) < 0) _exit(4);
    _exit(3);
}

void* room(size_t bytes) {
    void* memory = malloc(bytes ? bytes : 1);
    REQUIRE(memory != NULL);
    return memory;
}

void digest(const void* bytes, size_t count) {
    const unsigned char* p = bytes;
    for (; count >= 8; count -= 8, p += 8) { /* FNV-1a, by words */
        uint64_t word;
        memcpy(&word, p, 8);
        hash = (hash ^ word ^ word >> 32) * 1099511628211u;
    }
    for (; count; count--) hash = (hash ^ *p++) * 1099511628211u;
}

long value(int source, size_t element) {
    return (source * 31 + (long)(element % 10007) * 7) % 113 + 1;
}

Buffer buffer(const Form* form, size_t elements) {
    ptrdiff_t low = 0, high = 0;
    for (int s = 0; s < form->slots; s++) {
        if (form->slot[s] < low) low = form->slot[s];
        if (form->slot[s] > high) high = form->slot[s];
    }
    size_t items = (elements + (size_t)form->slots - 1) / (size_t)form->slots;
    size_t before = margin + (size_t)-low;
    Buffer b = {.bytes = before + items * (size_t)form->extent + (size_t)high + 16 + margin};
    b.memory = room(b.bytes);
    b.origin = b.memory + before;
    memset(b.memory, untouched, b.bytes);
    return b;
}

void put(Buffer b, const Form* form, size_t element, long v) {
    size_t slots = (size_t)form->slots;
    void* at = b.origin + (ptrdiff_t)(element / slots) * form->extent + form->slot[element % slots];
    switch (form->kind) {
        case INT32:
            memcpy(at, &(int32_t){(int32_t)v}, 4);
            break;
        case INT64:
            memcpy(at, &(int64_t){v}, 8);
            break;
        case INT8:
            memcpy(at, &(int8_t){(int8_t)v}, 1);
            break;
        case UINT16:
            memcpy(at, &(uint16_t){(uint16_t)v}, 2);
            break;
        case UINT64:
            memcpy(at, &(uint64_t){(uint64_t)v}, 8);
            break;
        case FLOAT:
            memcpy(at, &(float){(float)v}, sizeof(float));
            break;
        case DOUBLE:
            memcpy(at, &(double){(double)v}, sizeof(double));
            break;
        case COMPLEX:
            memcpy(at, &(double complex){(double)v + 2.0 * (double)v * I}, 16);
            break;
        case KINDS:
            break;
    }
}

void fill(Buffer b, const Form* form, size_t first, size_t elements, int source) {
    for (size_t e = 0; e < elements; e++) put(b, form, first + e, value(source, e));
}

void same(Buffer got, Buffer want) {
    digest(got.memory, got.bytes);
    if (got.bytes != want.bytes || memcmp(got.memory, want.memory, got.bytes) != 0) {
        size_t at = 0;
        while (got.memory[at] == want.memory[at]) at++;
        fail(__FILE__, __LINE__, "byte %td is %02x, not %02x", got.memory + at - got.origin,
             got.memory[at], want.memory[at]);
    }
    free(got.memory);
    free(want.memory);
}

int next_root(const Place* p, int root, int elements) {
    int few = light ? 17 : 1000;
    return elements <= few || root == p->size - 1 ? root + 1 : p->size - 1;
}

void begin_section(const char* name, int patience) {
    section = name;
    hash = 14695981039346656037u;
    doing("begin");
    signal(SIGALRM, on_alarm);
    alarm((unsigned)patience);
}

void end_section(void) {
    doing("report");
    int rank, size;
    MPI_Comm_rank(report, &rank);
    MPI_Comm_size(report, &size);
    if (rank != 0) {
        MPI_Ssend(&hash, 1, MPI_UINT64_T, 0, 0, report);
    } else {
        for (int from = 1; from < size; from++) {
            uint64_t other;
            MPI_Recv(&other, 1, MPI_UINT64_T, from, 0, report, MPI_STATUS_IGNORE);
            digest(&other, sizeof other);
        }
        printf("ok %s %016llx\n", section, (unsigned long long)hash);
        fflush(stdout);
    }
    alarm(0);
}

void open_report(void) { MPI_Comm_dup(MPI_COMM_WORLD, &report); }
void close_report(void) { MPI_Comm_free(&report); }
