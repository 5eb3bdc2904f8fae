// SPDX-License-Identifier: BSD-3-Clause
// A cache that forgets what was used longest ago. Ranks that make the same calls in the same order
// keep and forget alike. Called by job, for plans and what was chosen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <map>
#include <utility>

namespace eco {

template <typename Key, typename Value>
class Recent {
public:
    // At least 2, so that a second look-up leaves what the first one found.
    explicit Recent(std::size_t most) : most_(most < 2 ? 2 : most) {}

    // Null if it is not kept. Until the next put() at least, and the one after, the value stays
    // where it is.
    Value* find(const Key& key) {
        const auto place = places_.find(key);
        if (place == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, place->second);
        return &place->second->second;
    }

    // The key must not be kept yet.
    Value& put(const Key& key, Value value) {
        entries_.emplace_front(key, std::move(value));
        try {
            places_.emplace(key, entries_.begin());
        } catch (...) {
            entries_.pop_front();
            throw;
        }
        if (entries_.size() > most_) {
            places_.erase(entries_.back().first);
            entries_.pop_back();
        }
        return entries_.front().second;
    }

    // So many from now on, if that is more.
    void allow(std::size_t most) { most_ = std::max(most_, most); }

    std::size_t size() const { return entries_.size(); }
    void clear() {
        places_.clear();
        entries_.clear();
    }

private:
    using Entries = std::list<std::pair<Key, Value>>;
    std::size_t most_;
    Entries entries_;  // the last used first
    std::map<Key, typename Entries::iterator> places_;
};

}  // namespace eco
