// SPDX-License-Identifier: BSD-3-Clause
// What the probe reports to the `eco` command: events, each a JSON object, as lines of standard
// output that pass through any launcher (line_code.h). Called by what measures, tunes and benches,
// on rank 0, and by host_facts.h on every rank.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "eco/measure/estimate.h"
#include "eco/measure/line_code.h"

namespace eco {

void send_event(const nlohmann::json& event, Arrival arrival = Arrival::must);

// Sends progress events, a few a second at most (estimate.h).
class Progress {
public:
    explicit Progress(bool prints) : prints_(prints) {}
    // All work takes so many seconds, counted from the start: what is done follows from the clock.
    void take(Seconds seconds) { estimate_.take(seconds); }

    // done: of all work, 0 to 1; where its time is given, at most so much. what: what is done now.
    void update(double done, const std::string& what);
    // The same where a long step begins: sent however recent the last one was.
    void begin(double done, const std::string& what);
    // Where the rest takes so long. begins: as begin().
    void update_left(Seconds left, const std::string& what, bool begins = false);

private:
    using Clock = std::chrono::steady_clock;
    bool prints_;
    Estimate estimate_;
    Clock::time_point start_ = Clock::now(), last_{};
};

}  // namespace eco
