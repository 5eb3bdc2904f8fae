// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/protocol.h"

#include <algorithm>
#include <cstdio>

namespace eco {

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
    estimate_.update(done, spent);
    nlohmann::json event{{"event", "progress"}, {"done", estimate_.done()}, {"what", what}};
    if (estimate_.left()) event["left"] = *estimate_.left();
    send_event(event);
}

void Progress::update_left(Seconds left, const std::string& what, bool begins) {
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    if (begins) last_ = {};
    update(std::min(0.99, spent / (spent + left)), what);
}

void Progress::begin(double done, const std::string& what) {
    last_ = {};
    update(done, what);
}

}  // namespace eco
