// SPDX-License-Identifier: BSD-3-Clause
// What the choice asks the simulator of a communicator on whose hosts nothing was timed: an
// interface, as the simulator uses this folder. Implemented by simulate/hosts_predictor.h.
#pragma once

#include <optional>

#include "eco/planners/choice.h"
#include "eco/schedule/collective.h"

namespace eco {

struct PredictedHere {
    Bytes bytes = 0;
    Choice best;
    Seconds time = 0;
    Seconds baseline = 0;  // the quickest topology-unaware schedule's
    Seconds elsewhere =
        0;  // what the choice takes here that was timed on other hosts; 0: not known
};

class Predictor {
public:
    virtual ~Predictor() = default;

    // Of the hosts of request.hierarchy. elsewhere: the choice that was timed on others. may_mcast:
    // whether IP multicast was the best for such an operation anywhere; it is predicted less surely
    // than messages. Nothing:
    // no model, or too much work. Depends on nothing but the profile and what is asked, so all
    // ranks get the same.
    virtual std::optional<PredictedHere> predict(const Request& request, Bytes bytes,
                                                 const Choice& elsewhere, bool may_mcast) const = 0;
};

}  // namespace eco
