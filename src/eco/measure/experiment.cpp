// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/experiment.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "eco/measure/arrival_rate.h"
#include "eco/measure/messages.h"
#include "eco/measure/since.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/topology/network.h"
#include "eco/topology/train.h"
#include "eco/transport/nic_counters.h"
#include "eco/transport/rail_transport.h"

namespace eco {

namespace {

using Clock = std::chrono::steady_clock;

enum ExperimentTag { ping_tag = 11, data_tag, credit_tag };

void send_ping(const std::vector<char>& ping, int to) {
    check_mpi(native().Send(ping.data(), static_cast<int>(ping.size()), native().byte, to, ping_tag,
                            native().comm_world));
}

void receive_ping(std::vector<char>& ping, int from) {
    check_mpi(native().Recv(ping.data(), static_cast<int>(ping.size()), native().byte, from,
                            ping_tag, native().comm_world, MPI_STATUS_IGNORE));
}

// The first byte of a ping: the last one is a byte long and is not answered.
constexpr char more_pings = 0, last_ping = 1;

RailMessages* rails = nullptr;

// Over a rail the receive of the next ping is started before the last is sent, as schedules do.
class RailPings {
public:
    explicit RailPings(const Order& order)
        : order_(order),
          mpi_(native().comm_world),
          wire_(*rails, context(), order.rails, mpi_),
          out_(static_cast<std::size_t>(order.bytes)),
          in_(out_.size()) {}
    void start_receive() { wire_.recv(0, in_.data(), order_.bytes, order_.to, ping_tag); }
    void send() {
        wire_.send(1, out_.data(), order_.bytes, order_.to, ping_tag);
        ++leaving_;
    }
    void wait_for_one() {
        while (arrived_ == 0) wait();
        --arrived_;
    }
    void end() {
        while (leaving_ > 0) wait();
    }

private:
    static const RailContext& context() {
        static auto& world = *new RailContext;
        int ranks = 0;
        native().Comm_size(native().comm_world, &ranks);
        world.world.resize(static_cast<std::size_t>(ranks));
        std::iota(world.world.begin(), world.world.end(), 0);
        return world;
    }
    void wait() {
        std::vector<int> ended;
        wire_.wait(ended);
        for (const int id : ended) id == 0 ? ++arrived_ : --leaving_;
    }

    const Order& order_;
    MpiTransport mpi_;
    RailTransport wire_;
    std::vector<char> out_, in_;
    int arrived_ = 0, leaving_ = 0;
};

std::vector<double> time_trips(const Order& order) {
    std::vector<char> ping(static_cast<std::size_t>(order.bytes), more_pings);
    std::vector<double> times;
    Seconds spent = 0;
    const auto wanted = static_cast<std::size_t>(order.count);
    const auto least = std::min(wanted, static_cast<std::size_t>(order.least));
    for (bool first = true; times.size() < wanted; first = false) {
        const auto start = Clock::now();
        send_ping(ping, order.to);
        receive_ping(ping, order.to);
        const Seconds half = since(start) / 2;
        // The first one may have made the connection, which takes some 40 ms.
        if (!first || order.warm) spent += 2 * half;
        if (!first || (order.warm && half >= long_way)) times.push_back(half);
        if (times.size() >= least && spent >= order.duration) break;
    }
    send_ping({last_ping}, order.to);
    times.resize(wanted, 0);
    return times;
}

void answer_trips(const Order& order) {
    std::vector<char> ping(static_cast<std::size_t>(order.bytes));
    // The others' pairs may come first. What the first ping waits here may be counted.
    if (!order.warm) sleep_until_message(order.to, ping_tag, 1000);
    while (true) {
        receive_ping(ping, order.to);
        if (ping.front() == last_ping) return;
        send_ping(ping, order.to);
    }
}

std::vector<double> time_rail_trips(const Order& order) {
    RailPings pings(order);
    std::vector<double> times;
    for (int trip = 0; trip <= order.count; ++trip) {
        const auto start = Clock::now();
        pings.start_receive();
        pings.send();
        pings.wait_for_one();
        if (trip > 0) times.push_back(since(start) / 2);
    }
    pings.end();
    return times;
}

void answer_rail_trips(const Order& order) {
    RailPings pings(order);
    pings.start_receive();
    for (int trip = 0; trip <= order.count; ++trip) {
        pings.wait_for_one();
        if (trip < order.count) pings.start_receive();
        pings.send();
    }
    pings.end();
}

// A message that has already arrived takes the receiver's own time alone. Nothing here calls MPI
// while it is under way, nor sleeps: a processor that wakes up is slower.
std::vector<double> time_overheads(const Order& order) {
    std::vector<char> ping(static_cast<std::size_t>(order.bytes));
    std::vector<double> sends, receives;
    for (int round = 0; round <= order.count; ++round) {
        MpiTransport transport(native().comm_world);
        const auto begin = Clock::now();
        for (int message = 0; message < order.in_flight; ++message)
            transport.send(message, ping.data(), order.bytes, order.to, ping_tag);
        if (round > 0) sends.push_back(since(begin) / order.in_flight);
        std::vector<int> ended;
        while (ended.size() < static_cast<std::size_t>(order.in_flight)) transport.wait(ended);
        const auto sent = Clock::now();
        while (since(sent) < order.wait) continue;
        const auto start = Clock::now();
        receive_ping(ping, order.to);
        if (round > 0) receives.push_back(since(start));
    }
    sends.insert(sends.end(), receives.begin(), receives.end());
    return sends;
}

void answer_sends(const Order& order) {
    std::vector<char> ping(static_cast<std::size_t>(order.bytes));
    for (int round = 0; round <= order.count; ++round) {
        for (int message = 0; message < order.in_flight; ++message) receive_ping(ping, order.to);
        send_ping(ping, order.to);
    }
}

// Trains of messages on a network that has rested.
void send_trains(const Order& order) {
    std::vector<char> ping(static_cast<std::size_t>(order.bytes));
    for (int round = 0; round <= order.count; ++round) {
        std::this_thread::sleep_for(std::chrono::duration<double>(order.wait));
        MpiTransport transport(native().comm_world);
        for (int message = 0; message < order.in_flight; ++message)
            transport.send(message, ping.data(), order.bytes, order.to, ping_tag);
        std::vector<int> ended;
        while (ended.size() < static_cast<std::size_t>(order.in_flight)) transport.wait(ended);
        receive_ping(ping, order.to);
    }
}

std::vector<double> time_trains(const Order& order) {
    std::vector<char> ping(static_cast<std::size_t>(order.bytes));
    std::vector<double> took, apart;
    const int last = order.in_flight - 1, middle = order.in_flight - last_of_train(order.in_flight);
    for (int round = 0; round <= order.count; ++round) {
        receive_ping(ping, order.to);
        const auto first = Clock::now();
        Seconds until_middle = 0;
        for (int message = 1; message <= last; ++message) {
            receive_ping(ping, order.to);
            if (message == middle) until_middle = since(first);
        }
        const Seconds until_last = since(first);
        send_ping({last_ping}, order.to);
        if (round == 0) continue;
        took.push_back(until_last);
        apart.push_back((until_last - until_middle) / (last - middle));
    }
    took.insert(took.end(), apart.begin(), apart.end());
    return took;
}

// On the wire, about: of messages of so many bytes each with their headers, and of what confirms
// each of them and its frames.
double wire_bytes(double messages, Bytes bytes) {
    constexpr double header = 66, payload = full_frame.payload;
    const auto size = static_cast<double>(bytes + full_frame.message);
    return messages * (size + header * std::ceil(size / payload));
}
double confirmations(double messages, Bytes bytes) {
    constexpr double acknowledgement = 66, two_frames = 2 * full_frame.payload;
    return wire_bytes(messages, 0) +
           messages * acknowledgement * std::ceil(static_cast<double>(bytes) / two_frames);
}

std::vector<double> listen(const Order& order) {
    std::this_thread::sleep_for(std::chrono::duration<double>(order.wait));
    const auto before = nic_counters();
    const auto start = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(order.duration - order.wait));
    const NicBytes all = carried(before, nic_counters());
    const Seconds took = since(start);
    return {all.sent / took, all.received / took};
}

// So many messages are under way until the time is up; each that arrives is answered by an empty
// one, for which the next is sent. So no queue grows without end, and all stop soon.
class Stream {
public:
    explicit Stream(const Order& order)
        : order_(order),
          wire_(native().comm_world),
          out_(static_cast<std::size_t>(order.bytes), more),
          in_(static_cast<std::size_t>(order.arriving)) {}

    std::vector<double> run() {
        bool receiving = order_.from >= 0, sending = order_.to >= 0;
        if (receiving) wire_.recv(arrival, in_.data(), order_.arriving, order_.from, data_tag);
        if (sending) wire_.recv(credit, nullptr, 0, order_.to, credit_tag);
        for (int message = 0; sending && message < order_.in_flight; ++message) send_next();
        std::vector<int> ended;
        while (receiving || sending || leaving_ > 0) {
            ended.clear();
            wire_.wait(ended);
            for (const int id : ended) {
                if (id == arrival) receiving = arrived();
                if (id == credit) sending = confirmed();
                if (id == departure) --leaving_;
            }
            look();
        }
        return {arrival_rate(arrivals_, order_.wait, order_.duration, order_.arriving),
                others_received()};
    }

private:
    static constexpr char more = 0, last = 1;
    enum Id { arrival, credit, departure };

    void send_next() {
        wire_.send(departure, out_.data(), order_.bytes, order_.to, data_tag);
        ++leaving_;
        ++unconfirmed_;
    }
    bool arrived() {
        if (in_[0] == last) return false;
        arrivals_.push_back(since(start_));
        wire_.send(departure, nullptr, 0, order_.from, credit_tag);
        ++leaving_;
        wire_.recv(arrival, in_.data(), order_.arriving, order_.from, data_tag);
        return true;
    }
    bool confirmed() {
        --unconfirmed_;
        ++confirmed_;
        if (since(start_) < order_.duration) send_next();
        if (unconfirmed_ > 0) {
            wire_.recv(credit, nullptr, 0, order_.to, credit_tag);
            return true;
        }
        wire_.send(departure, &last, 1, order_.to, data_tag);
        ++leaving_;
        return false;
    }
    // What has been carried when the time that counts begins, and when it ends.
    struct Look {
        Seconds when = 0;
        NicCounters all;
        double confirmed = 0, arrived = 0;  // messages
    };
    void look() {
        const Seconds now = since(start_);
        if (looks_.size() == 2 || now < (looks_.empty() ? order_.wait : order_.duration)) return;
        looks_.push_back({now, nic_counters(), confirmed_, static_cast<double>(arrivals_.size())});
    }
    // B/s; 0 where the stream ended early.
    double others_received() const {
        if (looks_.size() < 2) return 0;
        const Look &first = looks_.front(), &last = looks_.back();
        const double own = wire_bytes(last.arrived - first.arrived, order_.arriving) +
                           confirmations(last.confirmed - first.confirmed, order_.bytes);
        const double all = carried(first.all, last.all).received;
        return std::max(0.0, all - own) / (last.when - first.when);
    }
    const Order& order_;
    MpiTransport wire_;
    std::vector<char> out_, in_;
    Clock::time_point start_ = Clock::now();
    std::vector<Seconds> arrivals_;
    int leaving_ = 0, unconfirmed_ = 0;
    double confirmed_ = 0;  // messages
    std::vector<Look> looks_;
};

}  // namespace

void use_rails(RailMessages* now) { rails = now; }

std::size_t figures_of(const Order& order) {
    switch (order.kind) {
        case Order::Kind::round_trips:
        case Order::Kind::rail_trips:
            return static_cast<std::size_t>(order.count);
        case Order::Kind::overheads:
        case Order::Kind::answer_train:
            return 2 * static_cast<std::size_t>(order.count);
        case Order::Kind::flow:
        case Order::Kind::listen:
            return 2;
        case Order::Kind::end:
        case Order::Kind::answer_trips:
        case Order::Kind::answer_sends:
        case Order::Kind::answer_rail_trips:
        case Order::Kind::train:
            break;
    }
    return 0;
}

std::vector<double> perform(const Order& order) {
    switch (order.kind) {
        case Order::Kind::round_trips:
            return time_trips(order);
        case Order::Kind::answer_trips:
            answer_trips(order);
            return {};
        case Order::Kind::rail_trips:
            return time_rail_trips(order);
        case Order::Kind::answer_rail_trips:
            answer_rail_trips(order);
            return {};
        case Order::Kind::overheads:
            return time_overheads(order);
        case Order::Kind::answer_sends:
            answer_sends(order);
            return {};
        case Order::Kind::flow:
            return Stream(order).run();
        case Order::Kind::listen:
            return listen(order);
        case Order::Kind::train:
            send_trains(order);
            return {};
        case Order::Kind::answer_train:
            return time_trains(order);
        case Order::Kind::end:
            return {};
    }
    return {};
}

}  // namespace eco
