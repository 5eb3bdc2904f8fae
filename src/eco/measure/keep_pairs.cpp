// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/keep_pairs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "eco/base/error.h"
#include "eco/measure/protocol.h"

namespace eco {

static constexpr std::chrono::seconds between_tellings{2};

void KeepPairs::take_up(const std::string& text, std::size_t wanted) {
    if (text.empty()) return;
    try {
        const auto pairs = eco::take_up(read_kept(text), profile_, timings_);
        for (const auto& [a, b] : pairs)
            for (std::size_t size = 0; size < timings_.size(); ++size)
                if (timings_[size].has(a, b)) note(size, {a, b});
        send_event({{"event", "continuing"}, {"timed", pairs.size()}, {"pairs", wanted}});
        tell(true);
    } catch (const Error& error) {
        send_event({{"event", "not_continued"}, {"why", error.what()}});
    }
}

void KeepPairs::note(std::size_t size, HostPair pair) {
    noted_.emplace(size, std::minmax(pair.first, pair.second));
}

void KeepPairs::tell(bool last) {
    if (noted_.empty() || (!last && Clock::now() - told_ < between_tellings)) return;
    told_ = Clock::now();
    Kept kept = kept_of(profile_);
    for (const auto& [size, pair] : noted_)
        kept.pairs[size].push_back(kept_pair(*timings_[size].find(pair.first, pair.second)));
    noted_.clear();
    auto event = kept_json(kept);
    event["event"] = "kept";
    send_event(event);
}

}  // namespace eco
