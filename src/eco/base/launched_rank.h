// SPDX-License-Identifier: BSD-3-Clause
// In which variables launchers tell a process its rank (Hydra with -pmi-port: PMI_ID). Read by `eco
// exec` and, before MPI begins, by the preload object.
#pragma once

#include <array>

namespace eco {

// The innermost launcher's first: a batch system's srun or aprun may stand around mpirun.
inline constexpr std::array rank_variables{
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",       "PMI_ID",      "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",          "ALPS_APP_PE", "FLUX_TASK_RANK", "SLURM_PROCID"};

}  // namespace eco
