// The last part of measuring: which cards of the hosts lead to other hosts, and what each of these
// rails carries between each pair (docs/formats.md, "rails").
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eco/probe/crew.h"
#include "eco/topology/rails.h"

namespace eco {

// Collective over MPI_COMM_WORLD. hosts: their names; levels: on rank 0 their clusters; speaker:
// per host the rank that measures. One pair at a time, everybody else asleep; about 0.2 s for each
// pair and rail of 100 Mbit/s. The result on rank 0; none where no host has libfabric. Throws
// MpiError.
std::optional<MeasuredRails> measure_rails(
    const std::vector<std::string>& hosts, const Levels& levels, const std::vector<int>& speaker,
    const Crew& crew, const std::function<void(double, const std::string&)>& show);

}  // namespace eco
