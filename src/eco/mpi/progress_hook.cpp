// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/progress_hook.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "eco/mpi/native.h"

namespace eco {

namespace {

Poll polled = nullptr;

#if defined(OPEN_MPI)

using Change = int (*)(int (*)());
Change take_on = nullptr, take_off = nullptr;
bool registered = false;

int poll_it() { return polled().moved; }

// Nothing may be thrown through the loader.
int is_pal(dl_phdr_info* info, std::size_t, void* path) noexcept {
    const char* slash = std::strrchr(info->dlpi_name, '/');
    const char* name = slash ? slash + 1 : info->dlpi_name;
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

// As MPICH's mpi.h has them, from 4.3 on; the standard interface has none.
using StartAsync = int (*)(int (*)(void*), void*, int);
constexpr int null_stream = 0x3c000000, goes_on = 0, done = 1;
StartAsync start_async = nullptr;
bool running = false;
std::atomic<bool> wanted = false;

int poll_it(void*) {
    if (wanted && polled().idle) wanted = false;
    if (wanted) return goes_on;
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
    static const bool looked = (look_for_hook(), true);
    static_cast<void>(looked);
    polled = poll;
#if defined(OPEN_MPI)
    if (!take_on) return false;
    if (!registered) registered = take_on(poll_it) == 0;
    return registered;
#else
    if (!start_async) return false;
    wanted = true;
    if (running) return true;
    // It may be called from here on.
    running = true;
    running = start_async(poll_it, nullptr, null_stream) == MPI_SUCCESS;
    return running;
#endif
}

void remove_progress_hook() noexcept {
#if defined(OPEN_MPI)
    if (registered) take_off(poll_it);
    registered = false;
#else
    // At its next call it goes.
    wanted = false;
#endif
}

}  // namespace eco
