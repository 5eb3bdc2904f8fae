// Init and Finalize, which begin and end the session.
#include <cstdio>
#include <exception>

#include "eco/interpose/session.h"
#include "eco/interpose/wrappers.h"

namespace eco {

static int after_init(int result) {
    if (result != MPI_SUCCESS) return result;
    try {
        begin_session();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: %s\n", error.what());
    }
    return result;
}

}  // namespace eco

int eco_Init(int* argc, char*** argv) { return eco::after_init(eco::native().Init(argc, argv)); }

int eco_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return eco::after_init(eco::native().Init_thread(argc, argv, required, provided));
}

int eco_Finalize() {
    try {
        eco::end_session();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: %s\n", error.what());
    }
    return eco::native().Finalize();
}
