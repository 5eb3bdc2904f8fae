// SPDX-License-Identifier: BSD-3-Clause
// eco-probe-FAMILY: the program that `eco probe` becomes under a launcher. What measures is in the
// preload object, which has the engine already. It is loaded so that none of its names is seen by
// the MPI library: there the library's own functions call each other, as without ECO.
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

int main(int count, char** words) {
    constexpr int environment = 5;  // the exit code, as in base/error.h
    char path[PATH_MAX + 64] = "";
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    char* slash = length > 0 ? std::strrchr(path, '/') : nullptr;
    if (!slash) {
        std::fputs("eco: cannot find its own files: /proc is not readable\n", stderr);
        return environment;
    }
    const char* const places[] = {"/" ECO_OBJECT, "/../lib/" ECO_OBJECT};  // installed; in a build
    for (const char* place : places) {
        std::strcpy(slash, place);
        if (access(path, F_OK) == 0) break;
    }
    void* object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    using Main = int (*)(int, char**);
    const auto start = object ? reinterpret_cast<Main>(dlsym(object, "eco_probe_main")) : nullptr;
    if (!start) {
        std::fprintf(stderr, "eco: %s; build or install ECO again\n", dlerror());
        return environment;
    }
    return start(count, words);
}
