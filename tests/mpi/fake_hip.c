// SPDX-License-Identifier: BSD-3-Clause
/* Stands in for HIP's library, libamdhip64.so.VERSION: what devices.c and ECO use of it. From
   version 6 on its memory types have other numbers. What fails is remembered until somebody asks
   for it. */
#include "fake_memory.h"

enum { memory_type_attribute = 2, invalid_value = 1, any_direction = 4 };
enum { of_host = VERSION >= 6, of_device };
static int last_error;
static char* registered; /* memory of the host that HIP knows too */

static int said(int code) {
    if (code != 0) last_error = code;
    return code;
}

int hipMalloc(void** address, size_t bytes) {
    *address = make_area(bytes);
    return 0;
}

int hipHostRegister(void* address, size_t bytes, unsigned flags) {
    registered = address;
    return said(bytes < 1 || flags != 0 ? invalid_value : 0);
}

int hipPointerGetAttribute(void* value, int attribute, void* address) {
    const int is_known = area_of(address) >= 0 || (char*)address == registered;
    if (attribute != memory_type_attribute || !is_known) return said(invalid_value);
    *(int*)value = area_of(address) >= 0 ? of_device : of_host;
    return 0;
}

int hipMemcpy(void* to, const void* from, size_t bytes, int direction) {
    if (direction != any_direction) return said(invalid_value);
    copy_bytes(to, from, bytes);
    return 0;
}

int hipStreamSynchronize(void* stream) { return said(stream ? invalid_value : 0); }

int hipPeekAtLastError(void) { return last_error; }

int hipGetLastError(void) {
    const int code = last_error;
    last_error = 0;
    return code;
}

int hipRuntimeGetVersion(int* version) {
    *version = VERSION * 10000000;
    return 0;
}
