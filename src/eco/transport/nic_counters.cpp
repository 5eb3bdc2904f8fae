// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/nic_counters.h"

#include <algorithm>
#include <charconv>

#include "eco/base/text.h"

namespace eco {

NicCounters nic_counters_of(const std::string& text) {
    // After the name: bytes received and seven more figures, then bytes sent.
    constexpr std::size_t received = 0, sent = 8;
    NicCounters found;
    for (const std::string& line : split(text, '\n')) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const auto name = words_of(line.substr(0, colon));
        const auto figures = words_of(line.substr(colon + 1));
        if (name.size() != 1 || name[0] == "lo" || figures.size() <= sent) continue;
        const auto read = [&](std::size_t place) {
            const std::string& figure = figures[place];
            double value = 0;
            std::from_chars(figure.data(), figure.data() + figure.size(), value);
            return value;
        };
        found[name[0]] = {read(sent), read(received)};
    }
    return found;
}

NicCounters nic_counters() {
    const auto text = read_text("/proc/net/dev");
    return text ? nic_counters_of(*text) : NicCounters{};
}

NicBytes carried(const NicCounters& before, const NicCounters& after) {
    NicBytes most;
    for (const auto& [name, now] : after) {
        const auto then = before.find(name);
        if (then == before.end()) continue;
        most.sent = std::max(most.sent, now.sent - then->second.sent);
        most.received = std::max(most.received, now.received - then->second.received);
    }
    return most;
}

}  // namespace eco
