// SPDX-License-Identifier: BSD-3-Clause
// Answers what a Chooser asks of a communicator on whose hosts nothing was timed
// (selection/predictor.h), by simulation on the profile's network. Called by job at the first call
// of an operation and size, and by `eco plan`.
#pragma once

#include <functional>
#include <memory>

#include "eco/selection/predictor.h"
#include "eco/topology/network.h"
#include "eco/topology/profile.h"

namespace eco {

class HostsPredictor : public Predictor {
public:
    // network: asked for at the first question; null: there is no measured one. What it points to
    // must stay. profile: what it was made of; what that says of multicasts counts for reductions,
    // whose results are to have the same bits where a job cannot multicast (the choice then falls
    // back to the tree that adds alike).
    HostsPredictor(std::function<const Network*()> network, const Profile& profile);
    ~HostsPredictor() override;

    // Cost: about as long as a hundred of the calls take by prediction, or less, and some 180,000
    // simulated messages at most, three quarters of a second. Answers are kept, some hundred of
    // them, by the groups of ranks and their hosts. Safe for several threads.
    std::optional<PredictedHere> predict(const Request& request, Bytes bytes,
                                         const Choice& elsewhere, bool may_mcast) const override;

private:
    struct Known;
    const Network* for_reductions(const Network& network) const;

    std::function<const Network*()> network_;
    Levels levels_;
    std::optional<MeasuredMcast> mcast_;
    std::unique_ptr<Known> known_;
};

}  // namespace eco
