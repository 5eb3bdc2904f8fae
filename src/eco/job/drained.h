// SPDX-License-Identifier: BSD-3-Clause
// Splits the communicators of a session into those that are drained (the program has freed its
// communicator, and no call on it is under way) and the rest. Each is in one of the two afterwards,
// although a call may end in another thread meanwhile. Called by free_drained.
#pragma once

#include <algorithm>
#include <vector>

namespace eco {

template <typename Communicator>
struct Drained {
    std::vector<Communicator*> over;
    bool some_draining = false;  // of the rest
};

// Takes them out of `all`. Each is asked once: the answer may be another one the next time.
template <typename Communicator>
Drained<Communicator> take_drained(std::vector<Communicator*>& all) {
    Drained<Communicator> left;
    left.over.reserve(all.size());
    std::erase_if(all, [&left](Communicator* each) {
        const bool is_over = each->is_drained();
        if (is_over) left.over.push_back(each);
        left.some_draining = left.some_draining || (!is_over && each->is_freed());
        return is_over;
    });
    return left;
}

}  // namespace eco
