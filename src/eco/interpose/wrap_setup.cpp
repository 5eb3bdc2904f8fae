// Init and Finalize, which begin and end the session, and Cart_create, which may place neighbours
// of a ring near each other (ECO §6.2).
#include <algorithm>
#include <cstdio>
#include <exception>

#include "eco/interpose/call.h"
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

// Ranks in ring order, then the grid as the library makes it. Collective.
static int ring_create(Communicator& communicator, MPI_Comm comm, const int* dims,
                       const int* periods, MPI_Comm* result) {
    const Native& mpi = native();
    const auto& ring = communicator.hierarchy().ring;
    const auto place = std::find(ring.begin(), ring.end(), communicator.rank()) - ring.begin();
    MPI_Comm ordered = mpi.comm_null;
    int code = mpi.Comm_split(comm, 0, static_cast<int>(place), &ordered);
    if (code != MPI_SUCCESS) return code;
    code = mpi.Cart_create(ordered, 1, dims, periods, 0, result);
    mpi.Comm_free(&ordered);
    return code;
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

int eco_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_cart) {
    const eco::Session* here = eco::session();
    if (here && here->settings.choice != "native" && reorder && ndims == 1 && dims && periods &&
        periods[0])
        if (eco::Communicator* communicator = eco::communicator_of(comm))
            if (dims[0] > 0 && dims[0] <= communicator->size())
                return eco::ring_create(*communicator, comm, dims, periods, comm_cart);
    return eco::native().Cart_create(comm, ndims, dims, periods, reorder, comm_cart);
}
