#include "eco/probe/crew.h"

#include <unistd.h>

#include "eco/interpose/mpi_transport.h"

namespace eco {

namespace {

enum Tag { order_tag = 1, figures_tag };

void send(const void* data, std::size_t bytes, int to, int tag) {
    check_mpi(
        native().Send(data, static_cast<int>(bytes), native().byte, to, tag, native().comm_world));
}

// Sleeps until the message is there: a rank that spins would slow the others of its host.
void receive(void* data, std::size_t bytes, int from, int tag) {
    const Native& mpi = native();
    int there = 0;
    while (true) {
        check_mpi(mpi.Iprobe(from, tag, mpi.comm_world, &there, MPI_STATUS_IGNORE));
        if (there) break;
        usleep(1000);
    }
    check_mpi(mpi.Recv(data, static_cast<int>(bytes), mpi.byte, from, tag, mpi.comm_world,
                       MPI_STATUS_IGNORE));
}

}  // namespace

Crew::Crew() {
    check_mpi(native().Comm_rank(native().comm_world, &rank_));
    check_mpi(native().Comm_size(native().comm_world, &ranks_));
}

std::vector<std::vector<double>> Crew::run(const std::vector<std::pair<int, Order>>& orders) const {
    for (const auto& [rank, order] : orders)
        if (rank != rank_) send(&order, sizeof order, rank, order_tag);
    std::vector<std::vector<double>> figures(orders.size());
    for (std::size_t i = 0; i < orders.size(); ++i)
        if (orders[i].first == rank_) figures[i] = perform(orders[i].second);
    for (std::size_t i = 0; i < orders.size(); ++i) {
        const auto& [rank, order] = orders[i];
        if (rank == rank_ || figures_of(order) == 0) continue;
        figures[i].resize(figures_of(order));
        receive(figures[i].data(), figures[i].size() * sizeof(double), rank, figures_tag);
    }
    return figures;
}

void Crew::dismiss() const {
    const Order end;
    for (int rank = 1; rank < ranks_; ++rank) send(&end, sizeof end, rank, order_tag);
}

void Crew::obey() const {
    while (true) {
        Order order;
        receive(&order, sizeof order, 0, order_tag);
        if (order.kind == Order::Kind::end) return;
        const auto figures = perform(order);
        if (!figures.empty()) send(figures.data(), figures.size() * sizeof(double), 0, figures_tag);
    }
}

}  // namespace eco
