// SPDX-License-Identifier: BSD-3-Clause
// Which of several ways a message takes, one after the other, however many messages there are.
// Used by rail_slots.
#pragma once

#include <utility>

namespace eco {

class InTurn {
public:
    explicit InTurn(int first = 0) : next_(first) {}

    // From 0 to ways - 1; ways may differ from call to call.
    int of(int ways) {
        const int way = next_ % ways;
        next_ = (way + 1) % ways;
        return way;
    }

private:
    int next_;
};

}  // namespace eco
