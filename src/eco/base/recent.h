// SPDX-License-Identifier: BSD-3-Clause
// A bounded cache: it holds a limited number of entries and of bytes, and frees the least recently
// used. Ranks that make the same calls in the same order keep and free the same entries, if these
// have the same sizes. Called by job, for plans and choices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <utility>

namespace eco {

template <typename Key, typename Value>
class Recent {
public:
    // The last 2 stay whatever the limits, so that a second look-up leaves what the first one
    // found.
    explicit Recent(std::size_t most,
                    std::size_t most_bytes = std::numeric_limits<std::size_t>::max())
        : most_(std::max(most, least)), most_bytes_(most_bytes) {}

    // Null if it is not kept. Until the next put() at least, and the one after, the value stays
    // where it is.
    // key: whatever compares with one, so that none needs to be made.
    template <typename Like>
    Value* find(const Like& key) {
        // A program often makes the same call again and again.
        if (!entries_.empty() && entries_.front().key == key) return &entries_.front().value;
        const auto place = places_.find(key);
        if (place == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, place->second);
        return &place->second->value;
    }

    // The key must not be kept yet. bytes: of the value, where bytes are limited.
    Value& put(const Key& key, Value value, std::size_t bytes = 0) {
        entries_.push_front({key, std::move(value), bytes});
        try {
            places_.emplace(key, entries_.begin());
        } catch (...) {
            entries_.pop_front();
            throw;
        }
        bytes_ += bytes;
        while (entries_.size() > most_ || (bytes_ > most_bytes_ && entries_.size() > least)) {
            bytes_ -= entries_.back().bytes;
            places_.erase(entries_.back().key);
            entries_.pop_back();
        }
        return entries_.front().value;
    }

    // So many from now on, if that is more.
    void allow(std::size_t most) { most_ = std::max(most_, most); }

    std::size_t size() const { return entries_.size(); }
    std::size_t bytes() const { return bytes_; }
    void clear() {
        places_.clear();
        entries_.clear();
        bytes_ = 0;
    }

private:
    static constexpr std::size_t least = 2;
    struct Entry {
        Key key;
        Value value;
        std::size_t bytes;
    };
    using Entries = std::list<Entry>;
    std::size_t most_, most_bytes_, bytes_ = 0;
    Entries entries_;  // the last used first
    std::map<Key, typename Entries::iterator, std::less<>> places_;
};

}  // namespace eco
