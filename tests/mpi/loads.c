/* SPDX-License-Identifier: BSD-3-Clause
 * loads PLUGIN: no MPI program, but loads one, runs it, and unloads it before it ends. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** words) {
    void* plugin = count > 1 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run") : NULL;
    if (!run) {
        puts(dlerror());
        return 1;
    }
    int (*finalized)(int*) = (int (*)(int*))dlsym(plugin, "MPI_Finalized");
    int wrong = run(), over = 0;
    dlclose(plugin);
    /* The library that ECO's pointers lead into stays. */
    wrong += !finalized || finalized(&over) != 0 || !over;
    puts(wrong ? "wrong" : "all ok");
    return wrong != 0;
}
