// SPDX-License-Identifier: BSD-3-Clause
/* Calls every stub of src/eco/preload/stubs.S with a fake table behind it: each must reach its own
 * slot, and a call's arguments must arrive as they were given, in registers and on the stack, also
 * those of the first call, before which eco_resolve() fills the slots and spoils all registers. */
#include <stdio.h>
#include <string.h>

static const char* reached;
static int resolved, wrong;

#define DECLARE(name)                                                                              \
    extern void* eco_slot_##name;                                                                  \
    void MPI_##name(void);                                                                         \
    void PMPI_##name(void);                                                                        \
    static void fake_##name(void) { reached = #name; }
#define ECO_TAKEN(name) DECLARE(name)
/* Extensions have other names as well: some in all libraries, others in Open MPI 4. */
#define DECLARE_EXTENSION(name)                                                                    \
    DECLARE(name)                                                                                  \
    void MPIX_##name(void);                                                                        \
    void PMPIX_##name(void);
#define REACH_EXTENSION(name)                                                                      \
    REACH(name) reaches(&MPIX_##name, #name), reaches(&PMPIX_##name, #name);
#define ECO_TAKEN_EXTENSION(name) DECLARE_EXTENSION(name)
#if !ECO_HAS_COUNT
#define ECO_TAKEN_PERSISTENT(name) DECLARE_EXTENSION(name)
#define ECO_TAKEN_PERSISTENT_COUNT(name) DECLARE_EXTENSION(name)
#endif
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name) DECLARE(name) DECLARE(name##_c)
#else
#define ECO_TAKEN_COUNT(name) DECLARE(name)
#endif
#include "eco/mpi/functions.def"

typedef int Call(long, long, long, long, long, long, long, long, double, double, double, double,
                 double, double, double, double, long, long, long, double);

static int taken(long a, long b, long c, long d, long e, long f, long g, long h, double p, double q,
                 double r, double s, double t, double u, double v, double w, long i, long j, long k,
                 double x) {
    const long whole[] = {a, b, c, d, e, f, g, h, i, j, k};
    const double real[] = {p, q, r, s, t, u, v, w, x};
    for (int n = 0; n < 11; ++n) wrong += whole[n] != 0x0111111111111111 * (n + 1);
    for (int n = 0; n < 9; ++n) wrong += real[n] != n + 0.25;
    reached = "taken";
    return 4711;
}

static void spoil(void) {
#if defined(__aarch64__)
    __asm__ volatile(
        "mov x0, #9\n mov x1, #9\n mov x2, #9\n mov x3, #9\n mov x4, #9\n mov x5, #9\n"
        "mov x6, #9\n mov x7, #9\n mov x8, #9\n mov x9, #9\n mov x16, #9\n mov x17, #9\n"
        "fmov d0, #9.0\n fmov d1, #9.0\n fmov d2, #9.0\n fmov d3, #9.0\n fmov d4, #9.0\n"
        "fmov d5, #9.0\n fmov d6, #9.0\n fmov d7, #9.0\n" ::
            : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x16", "x17", "d0", "d1",
              "d2", "d3", "d4", "d5", "d6", "d7");
#else
    __asm__ volatile(
        "xor %%rdi, %%rdi\n xor %%rsi, %%rsi\n xor %%rdx, %%rdx\n xor %%rcx, %%rcx\n"
        "xor %%r8, %%r8\n xor %%r9, %%r9\n xor %%rax, %%rax\n xor %%r10, %%r10\n"
        "xor %%r11, %%r11\n" ::
            : "rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax", "r10", "r11");
#endif
}

void eco_resolve(void) {
    ++resolved;
    wrong += (size_t)__builtin_frame_address(0) % 16 != 0; /* the stack is aligned */
#define FILL(name) eco_slot_##name = (void*)&fake_##name;
#define ECO_TAKEN(name) FILL(name)
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name) FILL(name) FILL(name##_c)
#else
#define ECO_TAKEN_COUNT(name) FILL(name)
#endif
#include "eco/mpi/functions.def"
    eco_slot_Bcast = (void*)&taken;
    spoil();
}

static int call(void (*stub)(void)) {
    const long one = 0x0111111111111111;
    return ((Call*)stub)(one, 2 * one, 3 * one, 4 * one, 5 * one, 6 * one, 7 * one, 8 * one, 0.25,
                         1.25, 2.25, 3.25, 4.25, 5.25, 6.25, 7.25, 9 * one, 10 * one, 11 * one,
                         8.25);
}

static void reaches(void (*stub)(void), const char* name) {
    reached = "nothing";
    stub();
    if (strcmp(reached, name) == 0) return;
    printf("MPI_%s reached %s\n", name, reached);
    ++wrong;
}

int main(void) {
    wrong += call(&MPI_Bcast) != 4711; /* fills the slots */
    wrong += call(&MPI_Bcast) != 4711;
    wrong += call(&PMPI_Bcast) != 4711;
    wrong += resolved != 1;
    eco_slot_Bcast = (void*)&fake_Bcast;
#define REACH(name) reaches(&MPI_##name, #name), reaches(&PMPI_##name, #name);
#define ECO_TAKEN(name) REACH(name)
#define ECO_TAKEN_EXTENSION(name) REACH_EXTENSION(name)
#if !ECO_HAS_COUNT
#define ECO_TAKEN_PERSISTENT(name) REACH_EXTENSION(name)
#define ECO_TAKEN_PERSISTENT_COUNT(name) REACH_EXTENSION(name)
#endif
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name) REACH(name) REACH(name##_c)
#else
#define ECO_TAKEN_COUNT(name) REACH(name)
#endif
#include "eco/mpi/functions.def"
    printf(wrong ? "%d wrong\n" : "all ok\n", wrong);
    return wrong != 0;
}
