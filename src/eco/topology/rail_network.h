// SPDX-License-Identifier: BSD-3-Clause
// The model of a network whose hosts have several rails, for messages that go in stripes over
// them: made from the model of messages over MPI and the rails' measured rates. Called by
// build_network.
#pragma once

#include "eco/topology/measured_rails.h"
#include "eco/topology/network.h"

namespace eco {

// Messages over at most so many rails of each pair, the fastest first: a port carries what its
// host's rails carry together, a pair's flow what joins the two. Nowhere slower than `one`, so that
// a bound that holds on it holds for MPI's own ways too. Messages short enough to go over one rail
// are taken to be striped as well, which flatters each by less than its own bytes' time.
Network over_rails(const Network& one, const MeasuredRails& measured, int most);

}  // namespace eco
