// SPDX-License-Identifier: BSD-3-Clause
// Part of `eco` alone: stands in for what the compiler's libraries would take from the C library of
// the system where ECO is built, so that `eco` starts with every GNU C library since 2.17. In a
// container with an older one than the preload object needs it must start to say so. A static
// `eco` would do as well, but be four times as large.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#if defined(__x86_64__)
#define ECO_FIRST_VERSION "GLIBC_2.2.5"
#else
#define ECO_FIRST_VERSION "GLIBC_2.17"
#endif
#define ECO_INSIDE __attribute__((visibility("hidden")))

extern "C" {

using Main = int (*)(int, char**, char**);
using Init = void (*)(int, char**, char**);

int first_start(Main main, int count, char** words, Init init, void (*fini)(), void (*loader)(),
                void* stack);
__asm__(".symver first_start, __libc_start_main@" ECO_FIRST_VERSION);

extern ECO_INSIDE Init __init_array_start[], __init_array_end[];

// As libraries before 2.34 expect: the program runs its own constructors.
static void construct(int count, char** words, char** environment) {
    for (Init* each = __init_array_start; each != __init_array_end; ++each)
        (*each)(count, words, environment);
}

// By the linker's --wrap.
ECO_INSIDE int __wrap___libc_start_main(Main main, int count, char** words, Init init,
                                        void (*fini)(), void (*loader)(), void* stack) {
    return first_start(main, count, words, init ? init : construct, fini, loader, stack);
}

// The kernel's struct is the C library's.
ECO_INSIDE int stat(const char* path, struct stat* status) {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}

ECO_INSIDE int lstat(const char* path, struct stat* status) {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
}

ECO_INSIDE int fstat(int file, struct stat* status) {
    return static_cast<int>(syscall(SYS_newfstatat, file, "", status, AT_EMPTY_PATH));
}

// There is one thread.
ECO_INSIDE extern char __libc_single_threaded;
char __libc_single_threaded = 1;

ECO_INSIDE int pthread_once(pthread_once_t* once, void (*call)()) {
    if (*once == PTHREAD_ONCE_INIT) {
        *once = PTHREAD_ONCE_INIT + 1;
        call();
    }
    return 0;
}

// Only asked for.
ECO_INSIDE int __pthread_key_create(pthread_key_t*, void (*)(void*)) { return EAGAIN; }

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// For exceptions: where the table of the object is that has this address.
static int find_in(dl_phdr_info* object, std::size_t, void* data) {
    auto* found = static_cast<dl_find_object*>(data);
    const auto wanted = reinterpret_cast<ElfW(Addr)>(found->dlfo_map_start);
    bool here = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& segment = object->dlpi_phdr[i];
        const ElfW(Addr) start = object->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && wanted >= start && wanted - start < segment.p_memsz)
            here = true;
        if (segment.p_type == PT_GNU_EH_FRAME)
            found->dlfo_eh_frame = reinterpret_cast<void*>(start);
    }
    return here ? 1 : 0;
}

ECO_INSIDE int _dl_find_object(void* address, dl_find_object* found) noexcept {
    found->dlfo_map_start = address;
    found->dlfo_eh_frame = nullptr;
    return dl_iterate_phdr(find_in, found) == 1 && found->dlfo_eh_frame ? 0 : -1;
}
#endif

}  // extern "C"
