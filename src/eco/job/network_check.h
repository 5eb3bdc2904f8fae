// SPDX-License-Identifier: BSD-3-Clause
// Finds out, in the first calls on a communicator that ECO would run, whether the network is the
// one of the profile: a few round trips between some of its hosts, against the profile's model. If
// it is another one, the communicator's calls are native from then on, and one line says so
// (docs/decisions/0048). Owned by Communicator, whose blocking calls ask it; all ranks ask alike.
#pragma once

#include <array>

#include "eco/job/network_fit.h"

namespace eco {

class Communicator;

class NetworkCheck {
public:
    // How soon it must be known: after some calls, so that a program of few pays nothing; or before
    // this one, whose result depends on the order of evaluation.
    enum class When { soon, now };
    // A call of `bytes` (-1: not known to all ranks) that ECO would run, or learn from; true if the
    // check is due before it. Local.
    bool is_due(Bytes bytes, When when);

    // What is known so far, the less the lower; and what all ranks of this communicator know from
    // one of all ranks of the job: then its own calls need not find it out again.
    enum Known { nothing, latency, rates, other_network };
    Known known() const { return known_; }
    void inherit(Known known);

    // The round trips, and all ranks' agreement on what they say. Collective over the hidden
    // communicator, between calls. Throws MpiError.
    void run(const Communicator& communicator);

    bool differs() const { return known_ == other_network; }

private:
    // A short message tells about latency. A longer one tells about rates too, and takes longer
    // itself: it waits for calls that are as long.
    static constexpr std::array<Bytes, 2> lengths{1, 8192};
    std::array<int, lengths.size()> calls_{};  // as long as that, or longer
    std::size_t due_ = 0;                      // of lengths
    Known known_ = nothing;
};

}  // namespace eco
