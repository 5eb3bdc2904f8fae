// SPDX-License-Identifier: BSD-3-Clause
// Answers what a Chooser asks of a communicator on whose hosts nothing was timed
// (selection/predictor.h), by simulation on the profile's network. Called by job at the first call
// of an operation and size, and by `eco plan`.
#pragma once

#include <functional>
#include <memory>

#include "eco/selection/predictor.h"
#include "eco/topology/network.h"

namespace eco {

class HostsPredictor : public Predictor {
public:
    // network: asked for at the first question; null: there is no measured one. What it points to
    // must stay.
    explicit HostsPredictor(std::function<const Network*()> network);
    ~HostsPredictor() override;

    // Cost: as long as a hundred of the calls take by prediction, at most; half a second at most.
    // Answers are kept, some hundred of them. Safe for several threads.
    std::optional<PredictedHere> predict(const Request& request, Bytes bytes,
                                         const Choice& elsewhere) const override;

private:
    struct Known;
    std::function<const Network*()> network_;
    std::unique_ptr<Known> known_;
};

}  // namespace eco
