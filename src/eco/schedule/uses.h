// SPDX-License-Identifier: BSD-3-Clause
// For each chunk of each buffer: the task that last wrote it, and the tasks that have read it
// since. Builder derives dependencies from this. One table and one list for all, since one rank may
// name ten thousands.
#pragma once

#include <cstdint>
#include <vector>

namespace eco {

class Uses {
public:
    struct Use {
        std::uint64_t key = free;
        std::int32_t writer = -1;
        std::int32_t readers = -1;  // the last of a list
    };

    // The one of a place and chunk, until the next call. Never free itself.
    Use& of(std::uint64_t key) {
        if (2 * (used_ + 1) > table_.size()) grow();
        Use& found = slot(key);
        if (found.key == free) {
            found.key = key;
            ++used_;
        }
        return found;
    }

    void add_reader(Use& use, std::int32_t task) {
        readers_.push_back({task, use.readers});
        use.readers = static_cast<std::int32_t>(readers_.size()) - 1;
    }

    template <typename What>
    void for_readers(const Use& use, What&& what) const {
        for (std::int32_t at = use.readers; at >= 0;
             at = readers_[static_cast<std::size_t>(at)].next)
            what(readers_[static_cast<std::size_t>(at)].task);
    }

private:
    static constexpr std::uint64_t free = ~std::uint64_t{0};
    struct Reader {
        std::int32_t task, next;
    };

    Use& slot(std::uint64_t key) {
        const std::size_t mask = table_.size() - 1;
        // By Fibonacci hashing, whose upper bits depend on all of the key.
        std::size_t at = static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> shift_);
        while (table_[at].key != key && table_[at].key != free) at = (at + 1) & mask;
        return table_[at];
    }

    void grow() {
        --shift_;
        std::vector<Use> old(std::size_t{1} << (64 - shift_));
        old.swap(table_);
        for (const Use& use : old)
            if (use.key != free) slot(use.key) = use;
    }

    std::vector<Use> table_;  // open addressing; of 2^(64 - shift_)
    int shift_ = 58;
    std::size_t used_ = 0;
    std::vector<Reader> readers_;
};

}  // namespace eco
