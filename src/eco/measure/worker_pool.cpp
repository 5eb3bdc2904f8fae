// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/worker_pool.h"

#include <unistd.h>

#include <algorithm>

#include "eco/measure/messages.h"
#include "eco/measure/pair_watch.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

namespace {

enum OrderTag { order_tag = 1, figures_tag };

}  // namespace

WorkerPool::WorkerPool() {
    check_mpi(native().Comm_rank(native().comm_world, &rank_));
    check_mpi(native().Comm_size(native().comm_world, &ranks_));
}

// What an order moves in any case.
static Bytes least_bytes(const Order& order) {
    const bool counts = order.kind == Order::Kind::overheads || order.kind == Order::Kind::train;
    const Bytes messages = 2 * order.least + order.in_flight + (counts ? order.count : 0);
    return messages * std::max(order.bytes, order.arriving);
}

std::vector<std::vector<double>> WorkerPool::run(
    const std::vector<std::pair<int, Order>>& orders) const {
    for (const auto& [rank, order] : orders)
        if (rank != rank_) send_bytes(&order, sizeof order, rank, order_tag);
    std::vector<std::vector<double>> figures(orders.size());
    // What wakes the others up should not disturb what is timed here.
    const bool takes_part = std::any_of(orders.begin(), orders.end(),
                                        [&](const auto& each) { return each.first == rank_; });
    if (takes_part) usleep(5000);
    const PairWatch watch;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (orders[i].first != rank_) continue;
        PairWatch::moved(rank_, orders[i].second.to, least_bytes(orders[i].second));
        figures[i] = perform(orders[i].second);
    }
    for (std::size_t i = 0; i < orders.size(); ++i) {
        const auto& [rank, order] = orders[i];
        if (rank == rank_ || figures_of(order) == 0) continue;
        PairWatch::moved(rank, order.to, least_bytes(order));
        figures[i].resize(figures_of(order));
        await_bytes(figures[i].data(), figures[i].size() * sizeof(double), rank, figures_tag);
    }
    return figures;
}

void WorkerPool::dismiss() const {
    const Order end;
    for (int rank = 1; rank < ranks_; ++rank) send_bytes(&end, sizeof end, rank, order_tag);
}

void WorkerPool::worker_loop() const {
    while (true) {
        Order order;
        await_bytes(&order, sizeof order, 0, order_tag);
        if (order.kind == Order::Kind::end) return;
        const auto figures = perform(order);
        if (!figures.empty())
            send_bytes(figures.data(), figures.size() * sizeof(double), 0, figures_tag);
    }
}

}  // namespace eco
