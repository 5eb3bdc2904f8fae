// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/times.h"

#include <algorithm>
#include <numeric>

namespace eco::multicast {

Times::Times(const Pattern& pattern)
    : pattern_(&pattern),
      ranks_(pattern.ranks()),
      original_(pattern.messages.size()),
      transfers_(pattern.model.transfers.data()) {
    std::iota(original_.begin(), original_.end(), 0);
    std::stable_sort(original_.begin(), original_.end(), [&](int a, int b) {
        return pattern.messages[at(a)].bytes < pattern.messages[at(b)].bytes;
    });
    source_.reserve(original_.size());
    bytes_.reserve(original_.size());
    send_.reserve(at(ranks_) * original_.size());
    receive_.reserve(at(ranks_) * original_.size());
    slowness_.reserve(at(ranks_));
    double sum = 0;
    for (const int k : original_) {
        const Message& message = pattern.messages[at(k)];
        source_.push_back(message.source);
        bytes_.push_back(static_cast<double>(message.bytes));
        sum += static_cast<double>(message.bytes);
    }
    const auto mean =
        static_cast<Bytes>(sum / std::max<double>(1, static_cast<double>(original_.size())));
    for (std::size_t i = 0; i < at(ranks_); ++i) {
        for (const int k : original_) {
            send_.push_back(pattern.model.send[i].of(pattern.messages[at(k)].bytes));
            receive_.push_back(pattern.model.receive[i].of(pattern.messages[at(k)].bytes));
        }
        slowness_.push_back(pattern.model.send[i].of(mean) + pattern.model.receive[i].of(mean));
    }
}

MessageSets Times::wanted() const {
    MessageSets sets(at(ranks_), original_.size());
    for (int k = 0; k < messages(); ++k)
        for (const Rank to : message(k).destinations) sets.insert(to, k);
    return sets;
}

}  // namespace eco::multicast
