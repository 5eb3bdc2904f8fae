// SPDX-License-Identifier: BSD-3-Clause
// Lets ranks run experiments for rank 0: it sends orders, the ranks that get one execute it and
// report, all others sleep.
#pragma once

#include <utility>

#include "eco/measure/experiment.h"

namespace eco {

class WorkerPool {
public:
    WorkerPool();

    int rank() const { return rank_; }
    int ranks() const { return ranks_; }

    // Rank 0: has the ranks carry out these orders, all ranks at once, each its own in turn; their
    // figures in the same order.
    std::vector<std::vector<double>> run(const std::vector<std::pair<int, Order>>& orders) const;

    // Rank 0: lets the others return from worker_loop.
    void dismiss() const;

    // The other ranks: carries out orders until dismissed.
    void worker_loop() const;

private:
    int rank_ = 0, ranks_ = 0;
};

}  // namespace eco
