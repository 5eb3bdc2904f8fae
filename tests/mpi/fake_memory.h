// SPDX-License-Identifier: BSD-3-Clause
/* A device's memory for what stands in for its driver: memory that nobody may touch but the
   driver's copies, so that whoever else does ends by a signal. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { most = 64 };
static struct {
    char* start;
    size_t bytes;
} areas[most];
static int count;

static int area_of(const void* address) {
    for (int a = 0; a < count; a++)
        if ((const char*)address >= areas[a].start &&
            (const char*)address < areas[a].start + areas[a].bytes)
            return a;
    return -1;
}

static void* make_area(size_t bytes) {
    areas[count].start =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    areas[count].bytes = bytes;
    return areas[count++].start;
}

static void open_area(const void* address, int open) {
    int a = area_of(address);
    if (a >= 0) mprotect(areas[a].start, areas[a].bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static void copy_bytes(void* to, const void* from, size_t bytes) {
    open_area(to, 1);
    open_area(from, 1);
    memcpy(to, from, bytes);
    open_area(to, 0);
    open_area(from, 0);
}
