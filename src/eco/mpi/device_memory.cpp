// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/device_memory.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

#include "eco/base/error.h"

namespace eco {

namespace {

// As cuda.h and hip_runtime_api.h have them; ECO is built without either.
constexpr int context_attribute = 1, memory_type_attribute = 2;
constexpr unsigned cuda_device = 2;
constexpr int hip_any_direction = 4;
constexpr int hip_6 = 60000000;  // from there on its memory types have other numbers

struct Cuda {
    int (*get_attribute)(void* value, int attribute, std::uint64_t address);
    int (*copy)(std::uint64_t to, std::uint64_t from, std::size_t bytes);
    int (*push_context)(void* context);
    int (*pop_context)(void** context);
    int (*finish_stream)(void* stream);
};

struct Hip {
    int (*get_attribute)(void* value, int attribute, void* address);
    int (*copy)(void* to, const void* from, std::size_t bytes, int direction);
    int (*finish_stream)(void* stream);
    int (*peek_last_error)();
    int (*get_last_error)();
    int (*version)(int* version);
};

// Filled once, before the flag is set; drivers are not unloaded.
Cuda cuda;
Hip hip;
std::atomic<bool> has_cuda = false, has_hip = false;

template <typename Function>
bool find_in(void* library, Function& function, const char* name) {
    void* address = dlsym(library, name);
    std::memcpy(&function, &address, sizeof address);
    return address != nullptr;
}

void* loaded(const char* name) { return dlopen(name, RTLD_LAZY | RTLD_NOLOAD); }

void look_for_drivers() {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (void* library = has_cuda ? nullptr : loaded("libcuda.so.1"))
        has_cuda = find_in(library, cuda.get_attribute, "cuPointerGetAttribute") &&
                   find_in(library, cuda.copy, "cuMemcpy") &&
                   find_in(library, cuda.push_context, "cuCtxPushCurrent_v2") &&
                   find_in(library, cuda.pop_context, "cuCtxPopCurrent_v2") &&
                   find_in(library, cuda.finish_stream, "cuStreamSynchronize");
    for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
        if (void* library = has_hip ? nullptr : loaded(name))
            has_hip = find_in(library, hip.get_attribute, "hipPointerGetAttribute") &&
                      find_in(library, hip.copy, "hipMemcpy") &&
                      find_in(library, hip.finish_stream, "hipStreamSynchronize") &&
                      find_in(library, hip.peek_last_error, "hipPeekAtLastError") &&
                      find_in(library, hip.get_last_error, "hipGetLastError") &&
                      find_in(library, hip.version, "hipRuntimeGetVersion");
}

bool is_of_cuda(const void* address) {
    unsigned type = 0;
    return has_cuda &&
           cuda.get_attribute(&type, memory_type_attribute,
                              reinterpret_cast<std::uint64_t>(address)) == 0 &&
           type == cuda_device;
}

bool is_of_hip(const void* address) {
    if (!has_hip) return false;
    int type = 0, version = 0;
    const int before = hip.peek_last_error();
    const int code = hip.get_attribute(&type, memory_type_attribute, const_cast<void*>(address));
    // The program must not find an error that it did not make.
    if (code != 0 && before == 0) hip.get_last_error();
    return code == 0 && hip.version(&version) == 0 && type == (version >= hip_6 ? 2 : 1);
}

// The copy is done in the context of the memory, which need not be this thread's.
int copy_by_cuda(void* to, const void* from, Bytes bytes) {
    const void* device = is_of_cuda(to) ? to : from;
    void *context = nullptr, *popped = nullptr;
    cuda.get_attribute(&context, context_attribute, reinterpret_cast<std::uint64_t>(device));
    const bool pushed = context && cuda.push_context(context) == 0;
    int code = cuda.copy(reinterpret_cast<std::uint64_t>(to), reinterpret_cast<std::uint64_t>(from),
                         static_cast<std::size_t>(bytes));
    // A copy from memory that may be paged out can return before its end.
    if (code == 0) code = cuda.finish_stream(nullptr);
    if (pushed) cuda.pop_context(&popped);
    return code;
}

}  // namespace

bool may_have_device_memory() {
    static std::atomic<unsigned long long> seen = 0;
    unsigned long long loads = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) noexcept {
            *static_cast<unsigned long long*>(result) = info->dlpi_adds;
            return 1;  // the first object's will do
        },
        &loads);
    if (loads != seen) {
        look_for_drivers();
        seen = loads;
    }
    return has_cuda || has_hip;
}

bool is_device_memory(const void* address) { return is_of_cuda(address) || is_of_hip(address); }

void copy_device_memory(void* to, const void* from, Bytes bytes) {
    const bool by_cuda = is_of_cuda(to) || is_of_cuda(from);
    int code = 0;
    if (by_cuda) {
        code = copy_by_cuda(to, from, bytes);
    } else {
        code = hip.copy(to, from, static_cast<std::size_t>(bytes), hip_any_direction);
        if (code == 0) code = hip.finish_stream(nullptr);
    }
    if (code != 0)
        throw Error(Code::environment, std::string(by_cuda ? "CUDA" : "HIP") + " cannot copy " +
                                           std::to_string(bytes) +
                                           " bytes between device and host (error " +
                                           std::to_string(code) + ")");
}

bool has_devices_of_unknown_memory() {
    void* library = loaded("libze_loader.so.1");
    int (*get_drivers)(std::uint32_t* count, void* drivers) = nullptr;
    std::uint32_t count = 0;
    return library && find_in(library, get_drivers, "zeDriverGet") &&
           get_drivers(&count, nullptr) == 0 && count > 0;
}

}  // namespace eco
