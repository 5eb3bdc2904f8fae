// eco-lab-relay: what the kernel's queues cannot do for an emulated wire. Each frame is read from
// one interface, kept as long as it takes to be sent at the wire's rate and to travel, and sent on
// the other. A token bucket lets a lone frame pass at once; on a real wire it needs its length over
// the rate at every hop, and that is how hops show in a measurement.
//
// Standard input, one line per wire, then end of file:
//   LEFT RIGHT RATE_TO_RIGHT RATE_TO_LEFT DELAY LOSS
// rates in bit/s (0: no time at all), delay in seconds, loss a fraction, each way. Runs until
// killed.
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

constexpr int frames_at_once = 64;
constexpr std::size_t longest_frame = 2048;
// Preamble, gap and check sequence, which the interfaces do not show.
constexpr std::size_t unseen_bytes = 24;

std::chrono::nanoseconds span(double seconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

[[noreturn]] void give_up(const std::string& what) {
    std::fprintf(stderr, "eco-lab-relay: %s: %s\n", what.c_str(), std::strerror(errno));
    std::exit(5);
}

int open_interface(const std::string& name) {
    const int handle = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
    if (handle < 0) give_up("a packet socket");
    const int on = 1, buffer = 8 << 20;
    setsockopt(handle, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
    if (setsockopt(handle, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) != 0)
        setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(name.c_str()));
    if (address.sll_ifindex == 0 ||
        bind(handle, reinterpret_cast<sockaddr*>(&address), sizeof address))
        give_up("interface " + name);
    return handle;
}

struct Frame {
    Time due;
    std::vector<char> bytes;
};

struct Direction {
    int source, target;
    double rate, delay, loss;
    std::deque<Frame> waiting;
    Time last{};

    void take(std::mt19937& random) {
        char buffer[longest_frame];
        for (int i = 0; i < frames_at_once; ++i) {
            const ssize_t length = recv(source, buffer, sizeof buffer, 0);
            if (length <= 0) return;
            if (loss > 0 && std::uniform_real_distribution<>(0, 1)(random) < loss) continue;
            const double wire = static_cast<double>(length) + unseen_bytes;
            const double seconds = delay + (rate > 0 ? wire * 8 / rate : 0);
            // A short frame does not overtake a long one.
            last = std::max(last, Clock::now() + span(seconds));
            waiting.push_back({last, std::vector<char>(buffer, buffer + length)});
        }
    }

    // Sends what is due. A full queue loses frames, as on a real wire.
    void give() {
        while (!waiting.empty() && waiting.front().due <= Clock::now()) {
            const auto& bytes = waiting.front().bytes;
            (void)!send(target, bytes.data(), bytes.size(), 0);
            waiting.pop_front();
        }
    }
};

// Late frames would show as a slow network, so the relay goes before all else where it may.
void hurry() {
    sched_param parameter{};
    parameter.sched_priority = 1;
    if (sched_setscheduler(0, SCHED_FIFO, &parameter) != 0) setpriority(PRIO_PROCESS, 0, -20);
    prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
}

}  // namespace

int main() {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    std::vector<Direction> directions;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string left, right;
        double to_right = 0, to_left = 0, delay = 0, loss = 0;
        if (!(words >> left >> right >> to_right >> to_left >> delay >> loss)) {
            std::fprintf(stderr, "eco-lab-relay: not a wire: '%s'\n", line.c_str());
            return 3;
        }
        const int a = open_interface(left), b = open_interface(right);
        directions.push_back({a, b, to_right, delay, loss, {}, {}});
        directions.push_back({b, a, to_left, delay, loss, {}, {}});
    }
    std::puts("ready");
    std::fflush(stdout);
    hurry();
    std::vector<pollfd> sources;
    sources.reserve(directions.size());
    for (const auto& direction : directions) sources.push_back({direction.source, POLLIN, 0});
    std::mt19937 random(1);
    while (true) {
        Time next = Time::max();
        for (auto& direction : directions) {
            direction.give();
            if (!direction.waiting.empty()) next = std::min(next, direction.waiting.front().due);
        }
        timespec timeout{};
        if (next != Time::max()) {
            const auto left = std::max(next - Clock::now(), std::chrono::nanoseconds(0));
            timeout.tv_sec = left.count() / 1'000'000'000;
            timeout.tv_nsec = left.count() % 1'000'000'000;
        }
        if (ppoll(sources.data(), sources.size(), next == Time::max() ? nullptr : &timeout,
                  nullptr) < 0)
            continue;
        for (std::size_t i = 0; i < sources.size(); ++i)
            if (sources[i].revents != 0) directions[i].take(random);
    }
}
