// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/protocol.h"

#include <limits.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

namespace eco {

namespace {

// Of this process; launchers mix what several print.
std::uint64_t own_stream() {
    static const std::uint64_t id = [] {
        std::random_device source;
        return std::uint64_t{source()} << 32 | source();
    }();
    return id;
}

// Launchers bring what ranks print over the network that is looked at. Where switches stop long
// packets, a long text would stall and keep back what follows, which with Open MPI is MPI_Init: so
// news go in parts that short packets hold with what launchers add (every path carries 576 bytes,
// RFC 791), with time between them for the launcher to read each alone.
constexpr std::size_t short_packet = 384;
constexpr std::chrono::milliseconds until_read{20};

// Whole lines at once, as many as a pipe that others write to as well keeps together.
void print_lines(std::string_view lines, Arrival arrival) {
    const std::size_t most = arrival == Arrival::may ? short_packet : PIPE_BUF;
    while (!lines.empty()) {
        std::size_t length = lines.size();
        if (length > most) length = lines.rfind('\n', most - 1) + 1;
        std::fwrite(lines.data(), 1, length, stdout);
        std::fflush(stdout);
        lines.remove_prefix(length);
        if (arrival == Arrival::may && !lines.empty()) std::this_thread::sleep_for(until_read);
    }
}

}  // namespace

void send_event(const nlohmann::json& event, Arrival arrival) {
    static int results = 0, news = 0;
    int& number = arrival == Arrival::must ? results : news;
    // Facts of hosts in other encodings must not end the measurement.
    using Handler = nlohmann::json::error_handler_t;
    const auto handler = arrival == Arrival::must ? Handler::strict : Handler::replace;
    const std::string text = event.dump(-1, ' ', false, handler);
    print_lines(coded_lines(text, own_stream(), arrival, number++), arrival);
}

void Progress::update(double done, const std::string& what) {
    const auto now = Clock::now();
    if (!prints_ || (done < 1.0 && now - last_ < std::chrono::milliseconds(250))) return;
    last_ = now;
    const double spent = std::chrono::duration<double>(now - start_).count();
    estimate_.update(done, spent);
    nlohmann::json event{{"event", "progress"}, {"done", estimate_.done()}, {"what", what}};
    if (estimate_.left()) event["left"] = *estimate_.left();
    send_event(event, Arrival::may);
}

void Progress::update_left(Seconds left, const std::string& what, bool begins) {
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    if (begins) last_ = {};
    update(std::min(0.99, spent / (spent + left)), what);
}

void Progress::begin(double done, const std::string& what) {
    last_ = {};
    update(done, what);
}

}  // namespace eco
