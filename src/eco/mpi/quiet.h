// SPDX-License-Identifier: BSD-3-Clause
// While one lives, errors on its communicator are returned instead of raised with the program's
// handler: around calls of ECO's own, whose failures are ECO's to report. Any number may live at
// once, in any threads; the last to go puts the program's handler back, unless the program has set
// another meanwhile. Only if a communicator is made or an operator is met for the first time:
// messages go over communicators of ECO's own, which return errors always.
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
    MPI_Comm comm_;
};

}  // namespace eco
