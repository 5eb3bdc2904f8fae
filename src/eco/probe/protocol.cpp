#include "eco/probe/protocol.h"

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
    if (!speaks_ || (done < 1.0 && now - last_ < std::chrono::milliseconds(250))) return;
    last_ = now;
    const double spent = std::chrono::duration<double>(now - start_).count();
    if (all_ > 0 && done < 1.0) done = std::min(spent / all_, 0.999);
    const double left = done > 0.0 ? spent / done * (1.0 - done) : 0.0;
    send_event({{"event", "progress"}, {"done", done}, {"left", left}, {"what", what}});
}

}  // namespace eco
