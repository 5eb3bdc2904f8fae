// While one lives, errors on its communicator are returned instead of raised with the program's
// handler: around calls of ECO's own, whose failures are ECO's to report. Any number may live at
// once, in any threads; the last to go puts the program's handler back.
#pragma once

#include "eco/interpose/native.h"

namespace eco {

class Quiet {
public:
    explicit Quiet(MPI_Comm comm);
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

private:
    MPI_Comm comm_;
};

// For functions that take an array of requests: MPICH raises their errors on MPI_COMM_SELF,
// whatever the requests' communicators.
#if defined(OPEN_MPI)
struct QuietRequests {
    QuietRequests() {}
};
#else
struct QuietRequests {
    Quiet self{native().comm_self};
};
#endif

}  // namespace eco
