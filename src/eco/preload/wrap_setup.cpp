// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init and MPI_Finalize; functions that make communicators, with which the session may begin;
// functions that free objects which calls under way may need.
#include <cstdlib>

#include "eco/job/call.h"
#include "eco/job/pending_calls.h"
#include "eco/job/session.h"
#include "eco/preload/wrappers.h"

namespace eco {

// Of messages for which no receive has been posted, MPICH's libfabric keeps 64 from each peer, and
// then reads nothing more from it, not even what the program is waiting for. Schedules in segments
// send more than the library does: a rank that is some calls ahead would hang a program that runs
// natively. Memory is taken only for messages that come. What the user has set stays.
static void before_init() { setenv("FI_TCP_MAX_SAVED", "65536", 0); }

static int after_init(int result, int provided) {
    if (result != MPI_SUCCESS) return result;
    expect_session(provided == MPI_THREAD_MULTIPLE);
    return result;
}

}  // namespace eco

int eco_Init(int* argc, char*** argv) {
    eco::before_init();
    const int result = eco::native().Init(argc, argv);
    int provided = MPI_THREAD_SINGLE;
    // A library may be told by its environment to give more than was asked for.
    if (result == MPI_SUCCESS) eco::native().Query_thread(&provided);
    return eco::after_init(result, provided);
}

int eco_Init_thread(int* argc, char*** argv, int required, int* provided) {
    eco::before_init();
    const int result = eco::native().Init_thread(argc, argv, required, provided);
    return eco::after_init(result, *provided);
}

int eco_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
    eco::ensure_session(comm);
    return eco::made_of(comm, newcomm, [&] { return eco::native().Comm_dup(comm, newcomm); });
}

int eco_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
    eco::ensure_session(comm);
    return eco::made_of(comm, newcomm,
                        [&] { return eco::native().Comm_dup_with_info(comm, info, newcomm); });
}

int eco_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
    eco::ensure_session(comm);
    return eco::made_of(comm, newcomm,
                        [&] { return eco::native().Comm_split(comm, color, key, newcomm); });
}

int eco_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
    eco::ensure_session(comm);
    return eco::made_of(comm, newcomm,
                        [&] { return eco::native().Comm_create(comm, group, newcomm); });
}

int eco_Type_free(MPI_Datatype* type) {
    if (!type || !eco::free_type_later(*type)) return eco::native().Type_free(type);
    *type = eco::native().datatype_null;
    return MPI_SUCCESS;
}

int eco_Op_free(MPI_Op* op) {
    if (!op || !eco::free_operator_later(*op)) return eco::native().Op_free(op);
    *op = eco::native().op_null;
    return MPI_SUCCESS;
}

int eco_Comm_revoke(MPI_Comm comm) {
    if (!eco::native().Comm_revoke) return MPI_ERR_OTHER;
    const int code = eco::native().Comm_revoke(comm);
    if (code == MPI_SUCCESS) eco::revoke_calls_on(comm);
    return code;
}

int eco_Finalize() {
    eco::end_session();
    return eco::native().Finalize();
}
