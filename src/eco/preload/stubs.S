// SPDX-License-Identifier: BSD-3-Clause
// The symbols that a program calls. Each jumps through a slot, so that a call which ECO does not take
// costs one jump, all arguments stay where they are, and a library of another ABI, whose
// handles have another size, can be called as if ECO were not there. The first call of any fills all
// slots (resolve.cpp).

#define ECO_ALL(name) STUB name
#if ECO_HAS_COUNT
#define ECO_ALL_COUNT(name) STUB name; STUB name##_c
#else
#define ECO_ALL_COUNT(name) STUB name
#endif

#if ECO_HAS_COUNT
#define ECO_ALL_PERSISTENT(name) STUB name
#define ECO_ALL_PERSISTENT_COUNT(name) ECO_ALL_COUNT(name)
#else
#define ECO_ALL_PERSISTENT(name) STUB name; EXTENSION name
#define ECO_ALL_PERSISTENT_COUNT(name) STUB name; EXTENSION name
#endif

// The name of an extension: of all persistent collectives in Open MPI 4.
.macro EXTENSION name
    .globl MPIX_\name, PMPIX_\name
    .set MPIX_\name, MPI_\name
    .set PMPIX_\name, MPI_\name
.endm

#if defined(__x86_64__)

.macro STUB name
    .text
    .globl MPI_\name, PMPI_\name
    .type MPI_\name, @function
    .type PMPI_\name, @function
    .p2align 4
MPI_\name:
PMPI_\name:
    endbr64
    jmp *eco_slot_\name(%rip)
    .size MPI_\name, .-MPI_\name
    .size PMPI_\name, .-PMPI_\name
eco_first_\name:
    endbr64
    leaq eco_slot_\name(%rip), %r11
    jmp eco_first
    .data
    .p2align 3
    .globl eco_slot_\name
    .hidden eco_slot_\name
eco_slot_\name:
    .quad eco_first_\name
.endm

    .text
eco_first:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %r11
    call eco_resolve
    popq %r11
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    jmp *(%r11)

#elif defined(__aarch64__)

.macro STUB name
    .text
    .globl MPI_\name, PMPI_\name
    .type MPI_\name, %function
    .type PMPI_\name, %function
    .p2align 4
MPI_\name:
PMPI_\name:
    adrp x16, eco_slot_\name
    ldr x16, [x16, #:lo12:eco_slot_\name]
    br x16
    .size MPI_\name, .-MPI_\name
    .size PMPI_\name, .-PMPI_\name
eco_first_\name:
    adrp x17, eco_slot_\name
    add x17, x17, #:lo12:eco_slot_\name
    b eco_first
    .data
    .p2align 3
    .globl eco_slot_\name
    .hidden eco_slot_\name
eco_slot_\name:
    .quad eco_first_\name
.endm

    .text
eco_first:
    stp x29, x30, [sp, #-160]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp d0, d1, [sp, #80]
    stp d2, d3, [sp, #96]
    stp d4, d5, [sp, #112]
    stp d6, d7, [sp, #128]
    str x17, [sp, #144]
    bl eco_resolve
    ldr x17, [sp, #144]
    ldp d6, d7, [sp, #128]
    ldp d4, d5, [sp, #112]
    ldp d2, d3, [sp, #96]
    ldp d0, d1, [sp, #80]
    ldp x6, x7, [sp, #64]
    ldp x4, x5, [sp, #48]
    ldp x2, x3, [sp, #32]
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #160
    ldr x16, [x17]
    br x16

#else
#error "ECO has no stubs for this processor yet: add them here"
#endif

#define ECO_TAKEN(name) ECO_ALL(name);
#define ECO_TAKEN_COUNT(name) ECO_ALL_COUNT(name);
#define ECO_TAKEN_PERSISTENT(name) ECO_ALL_PERSISTENT(name);
#define ECO_TAKEN_PERSISTENT_COUNT(name) ECO_ALL_PERSISTENT_COUNT(name);
#define ECO_TAKEN_EXTENSION(name) STUB name; EXTENSION name;
#include "eco/mpi/functions.def"

    .section .note.GNU-stack,"",%progbits
