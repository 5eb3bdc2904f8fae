// SPDX-License-Identifier: BSD-3-Clause
// The memory of one execution besides the program's buffers: the state of its tasks, scratch, and
// room for messages that are not contiguous. Kept by Prepared from one call to the next, so that a
// repeated call allocates nothing: `most_kept` bytes at most, `most_kept_in_all` by all plans
// together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "eco/base/units.h"

namespace eco {

// Bytes that are allocated when they are needed and may be used again.
class Room {
public:
    std::byte* reserve(Bytes bytes) {
        if (bytes > size_ || !data_) {
            data_.reset();
            data_.reset(new std::byte[static_cast<std::size_t>(bytes > 0 ? bytes : 1)]);
            size_ = bytes;
        }
        return data_.get();
    }
    std::byte* data() const { return data_.get(); }
    Bytes size() const { return size_; }
    void free() {
        data_.reset();
        size_ = 0;
    }

private:
    std::unique_ptr<std::byte[]> data_;
    Bytes size_ = 0;
};

struct ExecutionMemory {
    static constexpr Bytes most_kept = 256 * 1024, longest_kept = 16 * 1024,
                           most_kept_in_all = 8 * 1024 * 1024;

    struct State {
        int waits_for = 0;
        bool paced = false;
        bool staged = false;  // its message is in `staging`, not in its place
        Room staging;
    };
    std::vector<State> states;  // per task
    std::vector<Bytes> slot_offset;
    Room scratch;
    std::deque<int> ready;
    std::vector<int> ended;

    ~ExecutionMemory() { use(); }

    // Frees what would be too much to keep until the next call, of this plan or of all together.
    void keep() {
        const Bytes most = std::min(most_kept, most_kept_in_all - kept_in_all.load());
        const auto keep_if_it_fits = [&](Room& room) {
            if (kept_ + room.size() > most) return room.free();
            kept_ += room.size();
        };
        keep_if_it_fits(scratch);
        for (State& state : states) keep_if_it_fits(state.staging);
        kept_in_all += kept_;
    }
    // The next call has it.
    void use() {
        kept_in_all -= kept_;
        kept_ = 0;
    }
    Bytes kept() const { return kept_; }

private:
    static inline std::atomic<Bytes> kept_in_all{0};
    Bytes kept_ = 0;
};

}  // namespace eco
