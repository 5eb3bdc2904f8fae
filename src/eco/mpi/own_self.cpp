// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/own_self.h"

#include <mutex>
#include <optional>

#include "eco/mpi/mpi_transport.h"

namespace eco {

namespace {

struct Kept {
    std::mutex mutex;
    std::optional<MPI_Comm> comm;
};
constinit Kept kept;

}  // namespace

MPI_Comm make_own_self() {
    const Native& mpi = native();
    MPI_Group group{};
    MPI_Comm made{};
    check_mpi(mpi.Comm_group(mpi.comm_self, &group));
    // Not a duplicate, which would call the program's attribute callbacks.
    const int code = mpi.Comm_create(mpi.comm_self, group, &made);
    mpi.Group_free(&group);
    check_mpi(code);
    mpi.Comm_set_errhandler(made, mpi.errors_return);
    return made;
}

MPI_Comm own_self() {
    const std::lock_guard lock(kept.mutex);
    if (!kept.comm) kept.comm = make_own_self();
    return *kept.comm;
}

void free_own_self() {
    const std::lock_guard lock(kept.mutex);
    if (kept.comm) native().Comm_free(&*kept.comm);
    kept.comm.reset();
}

}  // namespace eco
