// Turns a profile's model into what a message takes between the parts of each cluster: a few
// figures instead of tables, so that every rank of a running program has them. Called by
// runtime.h and by hierarchy.h.
#pragma once

#include <vector>

#include "eco/topology/model.h"

namespace eco {

// Of a message between hosts of different parts of a cluster; its parts are the clusters of the
// next finer level, of the finest level single hosts. Medians over the nearest hosts of its parts.
struct Passage {
    int level = -1, cluster = 0;  // of Profile::levels; -1: all hosts
    Cost busy;                    // until its sender's link can take another one
    Cost whole;                   // until its receiver has it
    bool operator==(const Passage&) const = default;
};

// Of all clusters of two parts or more, wider ones first. Those of a runtime part are there
// already; none where neither a model nor times are known. O(levels · hosts²).
std::vector<Passage> find_passages(const Profile& profile);

}  // namespace eco
