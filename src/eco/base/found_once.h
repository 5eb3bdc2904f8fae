// SPDX-License-Identifier: BSD-3-Clause
// A value that the first thread that needs it finds, while others that need it wait: it never moves
// again, so they may keep references. If finding it throws, the next one tries again.
#pragma once

#include <mutex>
#include <optional>

namespace eco {

template <typename T>
class FoundOnce {
public:
    template <typename Find>
    const T& get(Find find) {
        const std::lock_guard one_at_a_time(mutex_);
        if (!value_) value_.emplace(find());
        return *value_;
    }

private:
    std::mutex mutex_;
    std::optional<T> value_;
};

}  // namespace eco
