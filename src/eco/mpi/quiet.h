// SPDX-License-Identifier: BSD-3-Clause
// While a Quiet exists, errors on its communicator are returned instead of raised with the
// program's handler: for calls of ECO's own, whose failures ECO reports. Several may exist at once,
// in any threads; the last one restores the program's handler, unless the program has set another
// meanwhile. Needed only when a communicator is made or an operator is seen for the first time:
// messages use communicators of ECO's own, which always return errors.
#pragma once

#include "eco/mpi/native.h"

namespace eco {

class Quiet {
public:
    explicit Quiet(MPI_Comm comm);
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

private:
    MPI_Comm comm_;  // whose handler it is
};

}  // namespace eco
