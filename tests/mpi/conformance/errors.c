// SPDX-License-Identifier: BSD-3-Clause
/* Wrong arguments give the error classes that the native library gives, through the communicator's
   own error handler. All these errors are found before anything is sent. The classes go into the
   hash, so that a run with ECO can be compared with a native one. */
#include "check.h"
#include "sections.h"

static MPI_Comm handled;
static int handler_calls, handler_class;

static void handler(MPI_Comm* comm, int* code, ...) {
    handled = *comm;
    handler_calls++;
    MPI_Error_class(*code, &handler_class);
}

static void record(int code) {
    int class;
    MPI_Error_class(code, &class);
    digest(&class, sizeof class);
    if (code == MPI_SUCCESS) fail(__FILE__, __LINE__, "a wrong call succeeded");
}

static void wrong_calls(const Place* p, MPI_Comm comm) {
    int word[4] = {0}, many[256];
    REQUIRE(p->size <= 64);
    doing("invalid root on %s", p->name);
    int code = MPI_Bcast(word, 1, MPI_INT, p->size, comm), class;
    MPI_Error_class(code, &class);
    EXPECT(class, MPI_ERR_ROOT);
    record(MPI_Bcast(word, 1, MPI_INT, -17, comm));
    record(MPI_Reduce(word, many, 1, MPI_INT, MPI_SUM, p->size + 3, comm));
    record(MPI_Gather(word, 1, MPI_INT, many, 1, MPI_INT, -9, comm));
    record(MPI_Scatter(many, 1, MPI_INT, word, 1, MPI_INT, p->size, comm));
    doing("negative count on %s", p->name);
    record(MPI_Bcast(word, -1, MPI_INT, 0, comm));
    record(MPI_Gather(word, -1, MPI_INT, many, 1, MPI_INT, 0, comm));
    record(MPI_Allgather(word, -1, MPI_INT, many, 1, MPI_INT, comm));
    doing("null datatype on %s", p->name);
    record(MPI_Bcast(word, 1, MPI_DATATYPE_NULL, 0, comm));
    record(MPI_Alltoall(many, 1, MPI_DATATYPE_NULL, many + 64, 1, MPI_INT, comm));
    doing("null operation on %s", p->name);
    record(MPI_Allreduce(word, many, 1, MPI_INT, MPI_OP_NULL, comm));
    record(MPI_Scan(word, many, 1, MPI_INT, MPI_OP_NULL, comm));
    doing("operation that the type has not, on %s", p->name);
    record(MPI_Allreduce(word, many, 1, MPI_DOUBLE, MPI_BAND, comm));
    record(MPI_Reduce(word, many, 1, MPI_DOUBLE_INT, MPI_BAND, 0, comm));
}

void section_errors(void) {
    MPI_Errhandler own;
    MPI_Comm_create_errhandler(handler, &own);
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        MPI_Comm comm;
        MPI_Comm_dup(p->comm, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        wrong_calls(p, comm);
        doing("own error handler on %s", p->name);
        MPI_Comm_set_errhandler(comm, own);
        handler_calls = 0;
        int word = 0, sum = 0;
        MPI_Bcast(&word, 1, MPI_INT, p->size, comm);
        EXPECT(handler_calls, 1);
        EXPECT(handler_class, MPI_ERR_ROOT);
        REQUIRE(handled == comm);
        doing("right calls after wrong ones on %s", p->name);
        word = 1;
        MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, comm);
        EXPECT(sum, p->size);
        MPI_Comm_free(&comm);
    }
    doing("null communicator");
    MPI_Errhandler before;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    record(MPI_Barrier(MPI_COMM_NULL));
    int word = 0;
    record(MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_NULL));
    MPI_Comm_set_errhandler(MPI_COMM_SELF, before);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    MPI_Errhandler_free(&before);
    MPI_Errhandler_free(&own);
}
