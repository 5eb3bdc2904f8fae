// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/protocol.h"

#include <algorithm>
#include <cstdio>

namespace eco {

// Of all work, done: then what is left can be told from it.
static constexpr double least_to_tell = 0.02;

void send_event(const nlohmann::json& event) {
    const std::string line = "@eco " + event.dump() + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

void Progress::update(double done, const std::string& what) {
    const auto now = Clock::now();
    if (!prints_ || (done < 1.0 && now - last_ < std::chrono::milliseconds(250))) return;
    last_ = now;
    const double spent = std::chrono::duration<double>(now - start_).count();
    // Work that takes longer than its budget counts at most as the part that was reported.
    if (all_ > 0 && done < 1.0) done = std::min({spent / all_, done, 0.999});
    // What turns out to be more work than was thought does not undo what was done.
    done_ = std::max(done_, std::min(done, 1.0));
    nlohmann::json event{{"event", "progress"}, {"done", done_}, {"what", what}};
    // Before that nobody knows.
    if (done_ >= 1.0)
        event["left"] = 0.0;
    else if (done_ >= least_to_tell)
        event["left"] = std::max(1.0, spent / done_ * (1.0 - done_));
    send_event(event);
}

}  // namespace eco
