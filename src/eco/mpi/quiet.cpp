// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/quiet.h"

#include <map>
#include <mutex>

namespace eco {

namespace {

struct Put {
    int living = 0;
    MPI_Errhandler handler{};
    bool taken = false;
};

std::mutex mutex;
// Never destroyed: an MPI_Finalize at exit may come after it would be.
std::map<MPI_Comm, Put>& put_aside() {
    static auto* all = new std::map<MPI_Comm, Put>;
    return *all;
}

// MPICH takes the handler of MPI_COMM_WORLD where a communicator has none of its own, and says
// "errors are fatal" of such a one. Restored, that would be its own, and other errors fatal that
// the program handles.
MPI_Comm whose_handler(MPI_Comm comm) {
#if defined(OPEN_MPI)
    return comm;
#else
    MPI_Errhandler handler{};
    if (native().Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return comm;
    const bool none = handler == native().errors_are_fatal;
    native().Errhandler_free(&handler);
    return none ? native().comm_world : comm;
#endif
}

}  // namespace

Quiet::Quiet(MPI_Comm comm) : comm_(whose_handler(comm)) {
    const std::lock_guard lock(mutex);
    Put& put = put_aside()[comm_];
    if (put.living++ > 0) return;
    put.taken = native().Comm_get_errhandler(comm_, &put.handler) == MPI_SUCCESS;
    if (put.taken) native().Comm_set_errhandler(comm_, native().errors_return);
}

Quiet::~Quiet() {
    const std::lock_guard lock(mutex);
    const auto place = put_aside().find(comm_);
    Put& put = place->second;
    if (--put.living > 0) return;
    if (put.taken) {
        MPI_Errhandler now{};
        const bool ours = native().Comm_get_errhandler(comm_, &now) == MPI_SUCCESS &&
                          now == native().errors_return;
        if (ours) native().Comm_set_errhandler(comm_, put.handler);
        native().Errhandler_free(&now);
        native().Errhandler_free(&put.handler);
    }
    put_aside().erase(place);
}

}  // namespace eco
