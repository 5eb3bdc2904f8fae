// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/binding.h"

#include <map>
#include <utility>

#include "eco/base/check.h"

namespace eco {

std::vector<std::vector<int>> keys_inside(const std::vector<int>& host_of,
                                          const std::vector<Binding>& bindings) {
    std::vector<std::vector<int>> keys;
    if (bindings.empty()) return keys;
    ECO_CHECK(bindings.size() == host_of.size());
    // Ids start again in every host and package, so a key stands for all that is around it too.
    std::vector<int> around = host_of;
    for (int Binding::* id : {&Binding::package, &Binding::numa, &Binding::cache}) {
        std::map<std::pair<int, int>, int> numbers;
        for (std::size_t rank = 0; rank < around.size(); ++rank) {
            int& key = around[rank];
            if (key < 0 || bindings[rank].*id < 0)
                key = -1;
            else
                key = numbers.emplace(std::pair{key, bindings[rank].*id}, numbers.size())
                          .first->second;
        }
        keys.push_back(around);
    }
    return keys;
}

}  // namespace eco
