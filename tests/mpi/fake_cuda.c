// SPDX-License-Identifier: BSD-3-Clause
/* Stands in for CUDA's driver, libcuda.so.1: a device's memory is memory that nobody may touch but
   its copies, so that whoever else does ends by a signal. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { context_attribute = 1, memory_type_attribute = 2, most = 64 };
static struct {
    char* start;
    size_t bytes;
} areas[most];
static int count, copies, contexts;

static int area_of(unsigned long long address) {
    for (int a = 0; a < count; a++)
        if ((char*)address >= areas[a].start && (char*)address < areas[a].start + areas[a].bytes)
            return a;
    return -1;
}

void* fake_alloc(size_t bytes) {
    areas[count].start =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    areas[count].bytes = bytes;
    return areas[count++].start;
}

int fake_copies(void) { return copies; }

int cuPointerGetAttribute(void* value, int attribute, unsigned long long address) {
    if (area_of(address) < 0) return 1; /* CUDA_ERROR_INVALID_VALUE: of the host */
    if (attribute == memory_type_attribute) *(unsigned*)value = 2;
    if (attribute == context_attribute) *(void**)value = &contexts;
    return 0;
}

int cuCtxPushCurrent_v2(void* context) {
    contexts++;
    return context != &contexts;
}

int cuCtxPopCurrent_v2(void** context) {
    contexts--;
    *context = &contexts;
    return 0;
}

int cuStreamSynchronize(void* stream) { return stream != NULL; }

static void open_area(unsigned long long address, int open) {
    int a = area_of(address);
    if (a >= 0) mprotect(areas[a].start, areas[a].bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

int cuMemcpy(unsigned long long to, unsigned long long from, size_t bytes) {
    if (contexts < 1 && (area_of(to) >= 0 || area_of(from) >= 0)) return 201; /* no context */
    open_area(to, 1);
    open_area(from, 1);
    memcpy((void*)to, (void*)from, bytes);
    open_area(to, 0);
    open_area(from, 0);
    copies++;
    return 0;
}
