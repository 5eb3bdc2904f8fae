// SPDX-License-Identifier: BSD-3-Clause
// Splits the communicators of a session into those that outlived the program's and have no call any
// more, and the rest. Each is in one of the two afterwards, although a call may end in another
// thread meanwhile. Called by free_left_over.
#pragma once

#include <algorithm>
#include <vector>

namespace eco {

template <typename Communicator>
struct LeftOver {
    std::vector<Communicator*> over;
    bool some_outlive = false;  // of the rest
};

// Takes them out of `all`. Each is asked once: the answer may be another one the next time.
template <typename Communicator>
LeftOver<Communicator> take_left_over(std::vector<Communicator*>& all) {
    LeftOver<Communicator> left;
    left.over.reserve(all.size());
    std::erase_if(all, [&left](Communicator* each) {
        const bool is_over = each->is_left_over();
        if (is_over) left.over.push_back(each);
        left.some_outlive = left.some_outlive || (!is_over && each->outlives());
        return is_over;
    });
    return left;
}

}  // namespace eco
