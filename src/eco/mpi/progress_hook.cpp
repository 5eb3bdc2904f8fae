// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/progress_hook.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "eco/base/file_name.h"
#include "eco/mpi/native.h"

namespace eco {

namespace {

Poll polled = nullptr;

#if defined(OPEN_MPI)

using Change = int (*)(int (*)());
Change take_on = nullptr, take_off = nullptr;
std::mutex hook_mutex;
std::atomic<bool> registered = false;

int poll_it() { return polled().moved; }

// Nothing may be thrown through the loader.
int is_pal(dl_phdr_info* info, std::size_t, void* path) noexcept {
    const char* name = file_name(info->dlpi_name);
    if (std::strncmp(name, "libopen-pal.so", std::strlen("libopen-pal.so")) != 0) return 0;
    *static_cast<const char**>(path) = info->dlpi_name;
    return 1;
}

void look_for_hook() {
    const char* path = nullptr;
    dl_iterate_phdr(is_pal, &path);
    void* library = path ? dlopen(path, RTLD_NOLOAD | RTLD_NOW) : nullptr;
    if (!library) return;
    void* on = dlsym(library, "opal_progress_register");
    void* off = dlsym(library, "opal_progress_unregister");
    if (!on || !off) return;
    std::memcpy(&take_on, &on, sizeof on);
    std::memcpy(&take_off, &off, sizeof off);
}

#else

// As MPICH's mpi.h has them, from 4.3 on; the standard ABI has none.
using StartAsync = int (*)(int (*)(void*), void*, int);
constexpr int null_stream = 0x3c000000, goes_on = 0, done = 1;
StartAsync start_async = nullptr;
std::mutex hook_mutex;
bool running = false;

// Whoever has something to do says so before it looks whether this runs.
int poll_it(void*) {
    if (!polled().idle) return goes_on;
    const std::lock_guard lock(hook_mutex);
    if (!polled().idle) return goes_on;
    running = false;
    return done;
}

void look_for_hook() {
    void* address = native_symbol("PMPIX_Async_start");
    std::memcpy(&start_async, &address, sizeof address);
}

#endif

}  // namespace

bool start_progress_hook(Poll poll) noexcept {
    static const bool looked = (polled = poll, look_for_hook(), true);
    static_cast<void>(looked);
#if defined(OPEN_MPI)
    if (!take_on || registered) return registered;
    const std::lock_guard lock(hook_mutex);
    if (!registered) registered = take_on(poll_it) == 0;
    return registered;
#else
    if (!start_async) return false;
    {
        const std::lock_guard lock(hook_mutex);
        if (running) return true;
        running = true;
    }
    // It may be called from here on; not under the lock, which it takes.
    if (start_async(poll_it, nullptr, null_stream) == MPI_SUCCESS) return true;
    const std::lock_guard lock(hook_mutex);
    return running = false;
#endif
}

void remove_progress_hook() noexcept {
#if defined(OPEN_MPI)
    if (registered) take_off(poll_it);
    registered = false;
#endif
    // In MPICH it goes by itself when there is nothing to do.
}

}  // namespace eco
