// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/model_timer.h"

#include <algorithm>
#include <numeric>

#include "eco/base/at.h"
#include "eco/measure/flow_time.h"
#include "eco/measure/trial.h"
#include "eco/topology/train.h"

namespace eco {

namespace {

constexpr Bytes train_bytes = 4096;  // at most, in one train; it must fit into any socket's buffer
constexpr int longest_train = 4;
constexpr int overhead_rounds = 4;

// Of flows. Messages are long only if a short one takes no longer than its overheads: before a
// long one libraries ask, and where the other direction is busy too, question and answer wait
// there.
constexpr int messages_per_flow = 16, least_in_flight = 4;
constexpr double shortest_message = 512, long_message = 16384;
constexpr Seconds long_message_time = 20e-6;

// Less than this part of what flows carry may be their own: frames that were sent twice.
constexpr double least_of_others = 0.1;
// Bytes of long frames for each of payload.
constexpr double wire_per_payload = 1514.0 / 1448;

// Of trains that find out what a bucket lets pass at once: frames, fewer than TCP sends before it
// waits. What takes less time tells nothing.
constexpr int short_train = 8, trains = 5;
constexpr Seconds clear_train = 0.3e-3, longest_train_time = 60e-3;

}  // namespace

std::pair<std::vector<Seconds>, std::vector<Seconds>> ModelTimer::overheads(int host,
                                                                            int partner) const {
    std::vector<std::pair<int, Order>> orders;
    for (const double size : overhead_sizes) {
        const auto bytes = static_cast<Bytes>(size);
        Order order;
        order.kind = Order::Kind::overheads;
        order.to = leader_[at(partner)];
        order.bytes = bytes;
        order.count = overhead_rounds;
        order.in_flight =
            static_cast<int>(std::clamp<Bytes>(train_bytes / bytes, 1, longest_train));
        order.wait = 1e-3 + 1.2 * (order.in_flight + 1) * whole(host, partner).of(bytes);
        Order answer = order;
        answer.kind = Order::Kind::answer_sends;
        answer.to = leader_[at(host)];
        orders.emplace_back(answer.to, order);
        orders.emplace_back(order.to, answer);
    }
    const auto figures = workers_.run(orders);
    // As of round trips the least: what disturbs a host adds to its time. A clock that does not
    // tick in so short a time would give none.
    const Seconds tick = 1e-9;
    std::vector<Seconds> sends, receives;
    for (std::size_t i = 0; i < orders.size(); i += 2) {
        const auto border = figures[i].begin() + overhead_rounds;
        sends.push_back(std::max(tick, *std::min_element(figures[i].begin(), border)));
        receives.push_back(std::max(tick, *std::min_element(border, figures[i].end())));
    }
    return {sends, receives};
}

Cost ModelTimer::whole(int a, int b) const {
    std::vector<Seconds> times;
    for (const auto& matrix : profile_.minimum) times.push_back(matrix(a, b));
    return line_through_ends(profile_.sizes, times);
}

double ModelTimer::rate(const Flow& flow) const {
    const double per_byte = whole(flow.from, flow.to).per_byte;
    return per_byte > 0 ? 1.0 / per_byte
                        : static_cast<double>(profile_.sizes.back()) /
                              profile_.minimum.back()(flow.from, flow.to);
}

double ModelTimer::total(const std::vector<Flow>& flows) const {
    const auto each = rates(flows, {});
    return std::accumulate(each.begin(), each.end(), 0.0);
}

ModelTimer::Orders ModelTimer::orders_of(const std::vector<Flow>& flows,
                                         const Timing& timing) const {
    Orders orders;
    // A rank that sends and receives has one order for both; it is timed as what it receives.
    const auto order_of = [&](int host) -> Order& {
        for (auto& [rank, order] : orders)
            if (rank == leader_[at(host)]) return order;
        orders.emplace_back(leader_[at(host)], Order{});
        return orders.back().second;
    };
    for (const auto& flow : flows) {
        const Seconds trip = 2 * profile_.minimum[0](flow.from, flow.to);
        const double fast = std::min(rate(flow), timing.most);
        const double longest = std::max(long_message, fast * long_message_time);
        const Seconds message = timing.under_way > 0 ? timing.under_way / least_in_flight
                                                     : flow_time / messages_per_flow;
        const double bytes = std::clamp(fast * message, shortest_message, longest);
        const int in_flight = least_in_flight + static_cast<int>(fast * 1.5 * trip / bytes);
        Order& receiver = order_of(flow.to);
        receiver.from = leader_[at(flow.from)];
        receiver.arriving = static_cast<Bytes>(bytes);
        receiver.wait = std::max(warm_up, round_trips_to_full_rate * trip);
        receiver.duration = receiver.wait + std::max(timing.timed, round_trips_timed * trip);
        Order& sender = order_of(flow.from);
        sender.to = leader_[at(flow.to)];
        sender.bytes = static_cast<Bytes>(bytes);
        sender.in_flight = in_flight;
    }
    Seconds longest = 0;
    for (auto& [rank, order] : orders) longest = std::max(longest, order.duration);
    for (auto& [rank, order] : orders) {
        order.kind = Order::Kind::flow;
        order.duration = longest;
    }
    return orders;
}

const std::vector<double>& ModelTimer::figures_at(int host, const Orders& orders,
                                                  const Figures& figures) const {
    const auto order = std::find_if(orders.begin(), orders.end(), [&](const auto& each) {
        return each.first == leader_[at(host)];
    });
    return figures[static_cast<std::size_t>(order - orders.begin())];
}

std::vector<double> ModelTimer::rates(const std::vector<Flow>& flows, const Timing& timing) const {
    const Orders orders = orders_of(flows, timing);
    const auto figures = workers_.run(orders);
    std::vector<double> found;
    for (const Flow& flow : flows) found.push_back(figures_at(flow.to, orders, figures)[0]);
    if (timing.others == Others::uncounted) return found;
    std::vector<double> received;
    double sent = 0;
    for (const Flow& flow : flows) {
        sent += (*timing.heard)[at(flow.from)].sent;
        const bool hears = (*timing.heard)[at(flow.to)].received >= least_traffic;
        received.push_back(hears ? figures_at(flow.to, orders, figures)[1] : 0);
    }
    const double all = std::accumulate(received.begin(), received.end(), 0.0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
        const double others = timing.others == Others::across
                                  ? received[f] * (all > sent ? sent / all : 1)
                                  : std::max(received[f], (*timing.heard)[at(flows[f].from)].sent);
        if (others >= least_of_others * found[f]) found[f] += others / wire_per_payload;
    }
    return found;
}

ModelTimer::Carried ModelTimer::carried(const std::vector<Flow>& flows,
                                        const std::vector<int>& hosts) const {
    Orders orders = orders_of(flows, {});
    Order listening;
    listening.kind = Order::Kind::listen;
    listening.duration = orders.front().second.duration;
    for (const auto& [rank, order] : orders) listening.wait = std::max(listening.wait, order.wait);
    for (const int host : hosts)
        if (std::none_of(orders.begin(), orders.end(),
                         [&](const auto& each) { return each.first == leader_[at(host)]; }))
            orders.emplace_back(leader_[at(host)], listening);
    const auto figures = workers_.run(orders);
    Carried found;
    for (const Flow& flow : flows) found.flows += figures_at(flow.to, orders, figures)[0];
    if (hosts.empty()) return found;
    for (const auto& each : figures) found.to_hosts += each[1] / wire_per_payload;
    found.to_first = figures_at(flows[0].to, orders, figures)[1] / wire_per_payload;
    for (double* each : {&found.to_first, &found.to_hosts})
        if (*each < least_of_others * found.flows) *each = 0;
    return found;
}

std::vector<NicBytes> ModelTimer::listen(Seconds duration) const {
    // The orders themselves, and what the others answer, are ECO's.
    constexpr Seconds aside = 0.02;
    Order order;
    order.kind = Order::Kind::listen;
    order.wait = aside;
    order.duration = aside + duration;
    Orders orders;
    for (const int leader : leader_) {
        orders.emplace_back(leader, order);
        if (leader == workers_.rank()) orders.back().second.duration -= aside;
    }
    std::vector<NicBytes> found;
    for (const auto& figures : workers_.run(orders)) found.push_back({figures[0], figures[1]});
    return found;
}

double ModelTimer::burst(const Flow& flow, double rate) const {
    const double on_wire = train_on_wire(short_train);
    const Seconds wait = 1.2 * on_wire / rate + 2 * profile_.minimum[0](flow.from, flow.to);
    if (wait > longest_train_time || on_wire / rate < clear_train) return 0;
    Order order;
    order.kind = Order::Kind::train;
    order.to = leader_[at(flow.to)];
    order.bytes = train_message;
    order.count = trains;
    order.in_flight = short_train;
    order.wait = wait;
    Order answer = order;
    answer.kind = Order::Kind::answer_train;
    answer.to = leader_[at(flow.from)];
    const auto figures =
        workers_.run({{leader_[at(flow.from)], order}, {leader_[at(flow.to)], answer}});
    const auto border = figures[1].begin() + trains;
    return burst_of_train(short_train, rate, median({figures[1].begin(), border}),
                          median({border, figures[1].end()}));
}

}  // namespace eco
