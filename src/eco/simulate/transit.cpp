// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/transit.h"

#include <algorithm>
#include <utility>

#include "eco/base/at.h"

namespace eco {

using What = Events::Event::What;

// Before longer messages MPI libraries ask the receiver.
static constexpr Bytes longest_unasked = 65535;

// The links, then for each area of multicasts the NICs that MPI's messages do not use.
static std::vector<double> rates(const Network& network) {
    std::vector<double> list;
    for (const Link& link : network.links) list.push_back(link.rate);
    for (const Network::McastReach& reach : network.mcasts) list.push_back(reach.rate);
    return list;
}

static std::vector<double> bursts(const Network& network) {
    std::vector<double> list;
    for (const Link& link : network.links) list.push_back(link.burst);
    list.resize(list.size() + network.mcasts.size());
    return list;
}

Transit::Transit(const Network& network, const std::vector<int>& host_of, Events& events,
                 Timeline& timeline, std::function<void(int)> sent)
    : network_(network),
      host_of_(host_of),
      events_(events),
      timeline_(timeline),
      sent_(std::move(sent)),
      fluid_(rates(network), bursts(network)),
      ports_(network.hosts.size()),
      unsent_(timeline.messages.size()) {
    timeline_.links.resize(network.links.size());
    RouteNumbers ways;
    const MessageTimes* last = nullptr;
    for (const MessageTimes& message : timeline.messages) {
        const int number = static_cast<int>(pair_of_.size());
        if (message.mcast == number)
            pairs_.push_back(make_mcast(number, ways));
        else if (message.mcast < 0 &&
                 (last == nullptr || message.from != last->from || message.to != last->to))
            pairs_.push_back(make_pair(message.from, message.to, ways));
        pair_of_.push_back(static_cast<int>(pairs_.size()) - 1);
        last = &message;
    }
    if (network_.ordered) join_opposites();
}

// Only long messages look at them.
void Transit::join_opposites() {
    struct Ends {
        Rank from, to;
        int pair;
        bool operator<(const Ends& other) const {
            return std::pair{from, to} < std::pair{other.from, other.to};
        }
    };
    std::vector<Ends> ends;  // in order, as messages are
    bool any_long = false;
    for (std::size_t m = 0; m < pair_of_.size(); ++m) {
        const MessageTimes& message = timeline_.messages[m];
        if (message.mcast >= 0) break;  // these are the last
        any_long = any_long || message.bytes > longest_unasked;
        if (ends.empty() || ends.back().pair != pair_of_[m])
            ends.push_back({message.from, message.to, pair_of_[m]});
    }
    if (!any_long) return;
    for (const Ends& each : ends) {
        const Ends wanted{each.to, each.from, -1};
        const auto found = std::lower_bound(ends.begin(), ends.end(), wanted);
        if (found != ends.end() && !(wanted < *found)) pairs_[at(each.pair)].opposite = found->pair;
    }
}

int Transit::host(Rank rank) const { return host_of_[at(rank)]; }

MessageTimes& Transit::message(int number) { return timeline_.messages[at(number)]; }

Transit::Pair& Transit::pair_of(int number) { return pairs_[at(pair_of_[at(number)])]; }

Transit::Pair Transit::make_pair(Rank from, Rank to, RouteNumbers& ways) {
    Pair pair;
    pair.route = network_.route(host(from), host(to));
    const int a = host(from), b = host(to);
    const std::size_t row = network_.row(a), column = network_.row(b);
    double cap = network_.cap[row][column];
    if (a == b) cap = network_.local.per_byte > 0 ? 1 / network_.local.per_byte : 0;
    if (pair.route.empty() && cap <= 0) return pair;
    const auto [found, fresh] = ways.emplace(std::pair{pair.route, cap}, -1);
    if (fresh) found->second = fluid_.add_way(pair.route, cap > 0 ? cap : never);
    pair.way = found->second;
    pair.rate = network_.rate(a, b, pair.route);
    pair.in_buckets = network_.passes(pair.route, pair.rate, 1) > 0;
    const Seconds round_trip = network_.fixed[row][column] + network_.fixed[column][row];
    const double flight = network_.wire(network_.first_flight);
    if (network_.first_flight > 0 && round_trip * pair.rate > flight)
        pair.flight = {round_trip, flight / 2, 0, -never};
    return pair;
}

// How many times its bytes a multicast takes that a bus carries slower than messages: as much as
// the slowest link on the way would carry meanwhile.
static double slowed(const Network& network, const Network::McastRoute& route) {
    const bool any_bus = std::any_of(route.links.begin(), route.links.end(), [&](int link) {
        return network.links[at(link)].kind == Link::Kind::bus;
    });
    if (!any_bus || route.rate <= 0) return 1;
    double slowest = never;
    for (const int link : route.links) slowest = std::min(slowest, network.links[at(link)].rate);
    return std::max(1.0, slowest / route.rate);
}

// The whole tree of links as one way.
Transit::Pair Transit::make_mcast(int number, RouteNumbers& ways) {
    Pair pair;
    pair.is_mcast = true;
    std::vector<int> to;
    for (std::size_t m = at(number);
         m < timeline_.messages.size() && timeline_.messages[m].mcast == number; ++m)
        to.push_back(host(timeline_.messages[m].to));
    Network::McastRoute route = network_.mcast_route(host(message(number).from), to);
    pair.slowed = slowed(network_, route);
    pair.route = std::move(route.links);
    pair.rate = route.rate > 0 ? pair.slowed * route.rate : never;
    pair.reach = route.reach;
    std::vector<int> shared = pair.route;
    if (shared.empty() && route.reach >= 0)
        shared = {static_cast<int>(network_.links.size()) + route.reach};
    const auto [found, fresh] = ways.emplace(std::pair{shared, pair.rate}, -1);
    if (fresh) found->second = fluid_.add_way(shared, pair.rate);
    if (pair.rate < never || !shared.empty()) pair.way = found->second;
    return pair;
}

// Each receiver tells the sender that it has the message.
void Transit::arrive_at_all(int number) {
    Seconds last = events_.now, told = 0;
    for (std::size_t m = at(number);
         m < timeline_.messages.size() && timeline_.messages[m].mcast == number; ++m) {
        MessageTimes& each = timeline_.messages[m];
        each.posted = message(number).posted;
        each.start = message(number).start;
        each.left = events_.now;
        const int a = host(each.from), b = host(each.to);
        each.arrived = events_.now + network_.delay(a, b, network_.route(a, b), each.bytes);
        events_.add(each.arrived, What::arrival, static_cast<int>(m));
        last = std::max(last, each.arrived + network_.delay(b, a, network_.route(b, a), 1));
        told += network_.receive[at(a)].fixed;
    }
    events_.add(last + told, What::known, number);
}

void Transit::post(int number, bool in_step) {
    message(number).posted = events_.now;
    Pair& pair = pair_of(number);
    pair.in_step = in_step;
    if (network_.ordered && (pair.flowing || pair.asks >= 0) && !pair.is_mcast)
        pair.waiting.push_back(number);
    else
        begin(number, pair);
}

// Whether the answer to a long message's question waits behind a long message that the receiver
// sends at that moment on the same connection. Ranks that come in step ask all at once, before
// anything is in the way.
bool Transit::must_ask(int number, const Pair& pair) const {
    const auto is_long = [this](int message) {
        return timeline_.messages[at(message)].bytes > longest_unasked;
    };
    if (pair.in_step || pair.opposite < 0 || pair.route.empty() || !is_long(number)) return false;
    const Pair& opposite = pairs_[at(pair.opposite)];
    return opposite.flowing && is_long(opposite.last);
}

void Transit::begin(int number, Pair& pair) {
    if (must_ask(number, pair))
        pair.asks = number;
    else
        flow(number, pair);
}

void Transit::flow(int number, Pair& pair) {
    MessageTimes& message = this->message(number);
    message.start = events_.now;
    if (events_.now > message.posted) message.before = pair.last;
    pair.last = number;
    pair.flowing = true;
    if (pair.way < 0) {  // nothing is known to limit it
        left(number);
        return;
    }
    const bool inside = !pair.is_mcast && host(message.from) == host(message.to);
    const double bytes = inside ? static_cast<double>(message.bytes) : network_.wire(message.bytes);
    for (const int link : pair.route) {
        const bool bus = network_.links[at(link)].kind == Link::Kind::bus;
        timeline_.links[at(link)].bytes += bus ? pair.slowed * bytes : bytes;
    }
    // On the other links of its way a slowed multicast counts as much as on the bus: a flow has one
    // rate.
    unsent_[at(number)] = std::max(pair.slowed * bytes, 1e-9);
    if (network_.ordered && !pair.is_mcast && message.bytes <= network_.frame.payload &&
        !pair.route.empty())
        queue(number, pair.route.front());
    if (message.start > events_.now)
        events_.add(message.start, What::resume, number);
    else
        resume(number);
}

// Of so many bytes what all buckets on the way let through at once.
double Transit::passes(const Pair& pair, double bytes) {
    if (!pair.in_buckets) return 0;
    double passed = bytes;
    for (const int link : pair.route) passed = std::min(passed, fluid_.tokens(link, events_.now));
    for (const int link : pair.route) fluid_.take(link, passed, events_.now);
    return passed;
}

// A single frame goes whole: it begins when those of its host before it are on the wire. Longer
// messages to several ranks go in turns, a frame of each, which sharing the wire stands for.
void Transit::queue(int number, int link) {
    MessageTimes& message = this->message(number);
    Port& port = ports_[at(host(message.from))];
    if (port.free > events_.now) {
        message.start = port.free;
        message.before = port.last;
    }
    const double at_once = fluid_.tokens(link, events_.now);
    if (at_once < unsent_[at(number)])
        port = {message.start + (unsent_[at(number)] - at_once) / network_.links[at(link)].rate,
                number};
}

// All of the message that is not sent yet, or as much as may go before an acknowledgement.
void Transit::resume(int number) {
    Pair& pair = pair_of(number);
    Flight& flight = pair.flight;
    double& unsent = unsent_[at(number)];
    double part = unsent;
    if (flight.round_trip > 0) {
        const Seconds acknowledged = flight.began + flight.round_trip;
        if (events_.now >= acknowledged) {
            if (flight.room <= 0) flight.window *= 2;
            flight.room = flight.window;
            flight.began = events_.now;
        } else if (flight.room <= 0) {
            events_.add(acknowledged, What::resume, number);
            return;
        }
        part = std::min(unsent, flight.room);
        flight.room -= part;
    }
    unsent -= part;
    const double passed = passes(pair, part);
    if (passed < part)
        fluid_.start(number, pair.way, part - passed, events_.now);
    else
        left(number);
}

void Transit::end_flows() {
    for (const int message : fluid_.ended(events_.now)) left(message);
}

void Transit::left(int number) {
    MessageTimes& message = this->message(number);
    Pair& pair = pair_of(number);
    if (unsent_[at(number)] > 0) return resume(number);
    message.left = events_.now;
    if (pair.is_mcast) return arrive_at_all(number);
    arrive(number, pair);
    pair.flowing = false;
    if (pair.opposite >= 0) {
        Pair& opposite = pairs_[at(pair.opposite)];
        const int answered = std::exchange(opposite.asks, -1);
        if (answered >= 0) {
            flow(answered, opposite);
            this->message(answered).before = number;
        }
    }
    if (!pair.waiting.empty()) {
        const int next = pair.waiting.front();
        pair.waiting.pop_front();
        begin(next, pair);
    }
    sent_(number);
}

void Transit::arrive(int number, Pair& pair) {
    MessageTimes& message = this->message(number);
    message.arrived = events_.now + network_.delay(host(message.from), host(message.to), pair.route,
                                                   message.bytes);
    if (network_.ordered) message.arrived = std::max(message.arrived, pair.arrived);
    pair.arrived = message.arrived;
    events_.add(message.arrived, What::arrival, number);
}

void Transit::sum_up() {
    timeline_.effort = fluid_.effort();
    for (std::size_t link = 0; link < timeline_.links.size(); ++link) {
        LinkTimes& times = timeline_.links[link];
        times.busy = fluid_.busy()[link];
        if (timeline_.time > 0)
            times.share = std::max(0.0, times.bytes - network_.links[link].burst) /
                          network_.links[link].rate / timeline_.time;
    }
}

}  // namespace eco
