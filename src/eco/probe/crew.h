// How rank 0 has experiments done: it sends orders, the ranks carry them out and report, everybody
// else sleeps.
#pragma once

#include <utility>

#include "eco/probe/experiment.h"

namespace eco {

class Crew {
public:
    Crew();

    int rank() const { return rank_; }
    int ranks() const { return ranks_; }

    // Rank 0: has the ranks carry out these orders, all ranks at once, each its own in turn; their
    // figures in the same order.
    std::vector<std::vector<double>> run(const std::vector<std::pair<int, Order>>& orders) const;

    // Rank 0: lets the others return from obey.
    void dismiss() const;

    // The other ranks: carries out orders until dismissed.
    void obey() const;

private:
    int rank_ = 0, ranks_ = 0;
};

}  // namespace eco
