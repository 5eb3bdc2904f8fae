// SPDX-License-Identifier: BSD-3-Clause
// Fills the slots of stubs.S at the first call: with ECO's functions, or, where the MPI library
// that the program uses has another ABI, with the library's own.
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "eco/base/launched_rank.h"
#include "eco/job/pending_calls.h"
#include "eco/mpi/native.h"
#include "eco/preload/wrappers.h"

extern "C" {
#define ECO_TAKEN(name) extern void* eco_slot_##name __attribute__((visibility("hidden")));
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name)                                                                      \
    extern void* eco_slot_##name __attribute__((visibility("hidden")));                            \
    extern void* eco_slot_##name##_c __attribute__((visibility("hidden")));
#else
#define ECO_TAKEN_COUNT(name) extern void* eco_slot_##name __attribute__((visibility("hidden")));
#endif
#include "eco/mpi/functions.def"

__attribute__((visibility("hidden"))) void eco_resolve();
}

namespace {

bool says_so() {
    for (const char* name : eco::rank_variables)
        if (const char* rank = std::getenv(name)) return rank[0] == '0' && rank[1] == 0;
    return true;
}

void use_native() {
#define ECO_TAKEN(name) eco_slot_##name = eco::native_symbol("PMPI_" #name);
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name)                                                                      \
    eco_slot_##name = eco::native_symbol("PMPI_" #name);                                           \
    eco_slot_##name##_c = eco::native_symbol("PMPI_" #name "_c");
#else
#define ECO_TAKEN_COUNT(name) eco_slot_##name = eco::native_symbol("PMPI_" #name);
#endif
#define ECO_TAKEN_EXTENSION(name)                                                                  \
    eco_slot_##name = eco::native_symbol("PMPIX_" #name);                                          \
    if (!eco_slot_##name) eco_slot_##name = eco::native_symbol("PMPI_" #name);
#include "eco/mpi/functions.def"
}

void use_eco() {
#define ECO_TAKEN(name) eco_slot_##name = reinterpret_cast<void*>(&eco_##name);
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name)                                                                      \
    eco_slot_##name = reinterpret_cast<void*>(&eco_##name);                                        \
    eco_slot_##name##_c = reinterpret_cast<void*>(&eco_##name##_c);
#else
#define ECO_TAKEN_COUNT(name) eco_slot_##name = reinterpret_cast<void*>(&eco_##name);
#endif
#define ECO_TAKEN_LATER(name) eco_slot_##name = eco::native_symbol("PMPI_" #name);
#include "eco/mpi/functions.def"
    eco::at_first_request([] {
#define ECO_TAKEN(name)
#define ECO_TAKEN_COUNT(name)
#define ECO_TAKEN_LATER(name) eco_slot_##name = reinterpret_cast<void*>(&eco_##name);
#include "eco/mpi/functions.def"
    });
}

}  // namespace

// Throws nothing: the stubs say nothing of their frames.
void eco_resolve() {
    static std::once_flag once;
    std::call_once(once, [] {
        switch (eco::load_native()) {
            case eco::FoundLibrary::usable:
                use_eco();
                return;
            case eco::FoundLibrary::of_unknown_abi:
                if (says_so())
                    std::fprintf(stderr,
                                 "eco: this program's MPI library is %s, whose ABI ECO does not "
                                 "know, so its own collectives run; ECO knows Open MPI, MPICH and "
                                 "what shares its ABI, and the ABI of MPI-5\n",
                                 eco::name_of_unknown_library());
                use_native();
                return;
            case eco::FoundLibrary::of_other_abi:
                if (says_so())
                    std::fprintf(stderr,
                                 "eco: this program's MPI library does not have the " ECO_FAMILY
                                 " ABI that was preloaded, so its collectives run; "
                                 "start it with 'eco exec', which picks the right object\n");
                use_native();
                return;
            case eco::FoundLibrary::none:
                std::fprintf(stderr,
                             "eco: an MPI function was called and no MPI library is loaded; link "
                             "the program with libmpi dynamically, or run it without ECO\n");
                std::abort();
        }
    });
}
