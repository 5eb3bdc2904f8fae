// SPDX-License-Identifier: BSD-3-Clause
/* Stands in for CUDA's driver, libcuda.so.1, with one device: what devices.c and ECO use of it. */
#include "fake_memory.h"

enum { context_attribute = 1, memory_type_attribute = 2, no_context = 201 };
typedef unsigned long long Pointer; /* CUdeviceptr */
static int contexts;                /* that are current, one over the other */

int cuInit(unsigned flags) { return flags != 0; }

int cuDeviceGet(int* device, int number) {
    *device = number;
    return number != 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
    *context = &contexts;
    return device != 0;
}

int cuMemAlloc_v2(Pointer* address, size_t bytes) {
    if (contexts < 1) return no_context;
    *address = (Pointer)make_area(bytes);
    return 0;
}

int cuPointerGetAttribute(void* value, int attribute, Pointer address) {
    if (area_of((void*)address) < 0) return 1; /* CUDA_ERROR_INVALID_VALUE: of the host */
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

int cuMemcpy(Pointer to, Pointer from, size_t bytes) {
    if (contexts < 1 && (area_of((void*)to) >= 0 || area_of((void*)from) >= 0)) return no_context;
    copy_bytes((void*)to, (void*)from, bytes);
    return 0;
}
