// SPDX-License-Identifier: BSD-3-Clause
// eco-lab-relay: what the kernel's queues cannot do for an emulated wire. Each frame is read from
// one interface, kept as long as it takes to be sent at the wire's rate and to travel, and sent on
// the other. A token bucket lets a lone frame pass at once; on a real wire it needs its length over
// the rate at every hop, and that is how hops show in a measurement.
//
// Standard input, one line per wire, then an empty line or end of file:
//   LEFT RIGHT RATE_TO_RIGHT RATE_TO_LEFT DELAY LOSS BURST REORDER DUPLICATE MULTICAST_TIMES
//   MULTICAST_LOSS
// rates in bit/s (0: no time at all); each way: delay in seconds, the part of the frames that is
// lost, how many consecutive ones, the parts that come late, so that others overtake them, and that
// come twice; how many times as long a multicast takes to the right; the part of the multicasts
// that is lost to the left. Later lines of the same form change a wire for the frames that enter it
// from then on. Runs until killed.
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
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
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

constexpr int frames_at_once = 64;
constexpr int events_at_once = 64;
constexpr std::size_t longest_frame = 2048;
constexpr int overhead_of_queued = 1100;  // bytes of the kernel's memory beside a frame's own
// Preamble, gap and check sequence, which the interfaces do not show.
constexpr std::size_t unseen_bytes = 24;
// Of a frame that others overtake.
constexpr double late_by = 2e-3;
// Of losses of consecutive frames: where few are sent, as TCP's second tries, it would last for
// minutes.
constexpr double longest_burst = 0.1;

// Of an Ethernet frame, before all else; the lowest bit of its first byte says that it is for many.
constexpr std::size_t address_bytes = 6;

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
    // Frames that wait for the medium behind this interface: about 90 full ones, as a small switch
    // keeps for a port. What finds no place is lost. The kernel doubles the value.
    const int queue = 106496;
    if (setsockopt(handle, SOL_SOCKET, SO_SNDBUFFORCE, &queue, sizeof queue) != 0)
        setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue);
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
    int times;  // as long on the medium as one frame of its length
};

// What happens to frames by chance.
struct Faults {
    double loss = 0;
    int burst = 1;
    double reorder = 0, duplicate = 0;
    double multicast_loss = 0;  // besides `loss`

    // The chance that a frame which follows one that came is the first of some that are lost.
    double start_of_burst() const { return loss / (loss + burst * (1 - loss)); }
};

struct Direction {
    int source, target;
    double rate, delay;
    int multicast_times;  // as long as another frame of its length takes on the medium
    Faults faults;
    std::deque<Frame> waiting;  // by their times
    Time last{};
    int losing = 0;  // of the frames that come next
    Time losing_until{};

    static bool happens(double chance, std::mt19937& random) {
        return chance > 0 && std::uniform_real_distribution<>(0, 1)(random) < chance;
    }

    bool loses(bool multicast, std::mt19937& random) {
        if (multicast && happens(faults.multicast_loss, random)) return true;
        if (Clock::now() > losing_until) losing = 0;
        if (losing == 0 && happens(faults.start_of_burst(), random)) {
            losing = faults.burst;
            losing_until = Clock::now() + span(longest_burst);
        }
        return losing > 0 && losing-- > 0;
    }

    void keep(Time due, const char* bytes, ssize_t length, int times) {
        auto place = waiting.end();
        while (place != waiting.begin() && (place - 1)->due > due) --place;
        waiting.insert(place, {due, std::vector<char>(bytes, bytes + length), times});
    }

    void take(std::mt19937& random) {
        char buffer[longest_frame];
        for (int i = 0; i < frames_at_once; ++i) {
            const ssize_t length = recv(source, buffer, sizeof buffer, 0);
            if (length <= 0) return;
            const bool multicast = (buffer[0] & 1) != 0;
            if (loses(multicast, random)) continue;
            const int times = multicast ? multicast_times : 1;
            const double wire = times * (static_cast<double>(length) + unseen_bytes);
            const double seconds = delay + (rate > 0 ? wire * 8 / rate : 0);
            // A short frame does not overtake a long one.
            last = std::max(last, Clock::now() + span(seconds));
            const bool late = happens(faults.reorder, random);
            const int copies = happens(faults.duplicate, random) ? 2 : 1;
            const Time due = last + (late ? span(late_by) : span(0));
            for (int copy = 0; copy < copies; ++copy) keep(due, buffer, length, times);
        }
    }

    // Sends what is due. A full queue loses frames, as on a real wire.
    void give() {
        while (!waiting.empty() && waiting.front().due <= Clock::now()) {
            auto& [due, bytes, times] = waiting.front();
            if (times == 1 || has_room(times, bytes.size())) {
                (void)!send(target, bytes.data(), bytes.size(), 0);
                // Copies to their own sender take the medium's time, and the bridge drops them.
                if (times > 1 && bytes.size() >= 2 * address_bytes)
                    std::memcpy(bytes.data(), bytes.data() + address_bytes, address_bytes);
                for (; times > 1; --times) (void)!send(target, bytes.data(), bytes.size(), 0);
            }
            waiting.pop_front();
        }
    }

    // Whether so many frames find place in the queue: else the copies would be lost, not the frame.
    bool has_room(int frames, std::size_t length) const {
        int queued = 0, most = 0;
        socklen_t size = sizeof most;
        return ioctl(target, SIOCOUTQ, &queued) != 0 ||
               getsockopt(target, SOL_SOCKET, SO_SNDBUF, &most, &size) != 0 ||
               queued + frames * (static_cast<std::int64_t>(length) + overhead_of_queued) <= most;
    }
};

// One line of standard input.
struct Wire {
    std::string left, right;
    double to_right = 0, to_left = 0, delay = 0;
    Faults faults;  // both ways, but for those of multicasts
    int multicast_times = 1;
    double multicast_loss = 0;

    Faults faults_to_left() const {
        Faults result = faults;
        result.multicast_loss = multicast_loss;
        return result;
    }
};

Wire read_wire(const std::string& line) {
    Wire wire;
    char left[IFNAMSIZ + 1], right[IFNAMSIZ + 1];
    Faults& faults = wire.faults;
    if (std::sscanf(line.c_str(), "%16s %16s %lf %lf %lf %lf %d %lf %lf %d %lf", left, right,
                    &wire.to_right, &wire.to_left, &wire.delay, &faults.loss, &faults.burst,
                    &faults.reorder, &faults.duplicate, &wire.multicast_times,
                    &wire.multicast_loss) != 11) {
        std::fprintf(stderr, "eco-lab-relay: not a wire: '%s'\n", line.c_str());
        std::exit(3);
    }
    wire.left = left;
    wire.right = right;
    return wire;
}

// Standard input by lines, also while frames travel: never waits for the rest of a line.
class Lines {
public:
    // Takes in what there is, waiting for at least one byte; false at the end of the input.
    bool fill() {
        char buffer[4096];
        const ssize_t length = read(STDIN_FILENO, buffer, sizeof buffer);
        if (length > 0) text_.append(buffer, static_cast<std::size_t>(length));
        return length > 0 || (length < 0 && errno == EINTR);
    }

    std::optional<std::string> next() {
        const auto end = text_.find('\n');
        if (end == std::string::npos) return std::nullopt;
        std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
    }

private:
    std::string text_;
};

class Wires {
public:
    void add(const Wire& wire) {
        const int a = open_interface(wire.left), b = open_interface(wire.right);
        places_[{wire.left, wire.right}] = directions.size();
        directions.push_back(
            {a, b, wire.to_right, wire.delay, wire.multicast_times, wire.faults, {}, {}});
        directions.push_back({b, a, wire.to_left, wire.delay, 1, wire.faults_to_left(), {}, {}});
    }

    void change(const Wire& wire) {
        const auto found = places_.find({wire.left, wire.right});
        if (found == places_.end()) return;
        auto& there = directions[found->second];
        auto& back = directions[found->second + 1];
        there.rate = wire.to_right;
        back.rate = wire.to_left;
        there.delay = back.delay = wire.delay;
        there.multicast_times = wire.multicast_times;
        there.faults = wire.faults;
        back.faults = wire.faults_to_left();
    }

    std::vector<Direction> directions;

private:
    std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

void await(int sources, int handle, std::size_t number) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    // A file cannot be waited for: of one as standard input only the wires are read, no changes.
    if (epoll_ctl(sources, EPOLL_CTL_ADD, handle, &event) != 0 && errno != EPERM) give_up("epoll");
}

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
    Wires wires;
    Lines lines;
    bool more = true, complete = false;
    while (!complete) {
        while (const auto line = lines.next()) {
            complete = line->empty();
            if (complete) break;
            wires.add(read_wire(*line));
        }
        if (!complete) complete = !(more = lines.fill());
    }
    auto& directions = wires.directions;
    std::puts("ready");
    std::fflush(stdout);
    hurry();
    // Asks the kernel for those that have something, not for each: of 64 hosts there are 128.
    const int sources = epoll_create1(0);
    for (std::size_t i = 0; i < directions.size(); ++i) await(sources, directions[i].source, i);
    if (more) await(sources, STDIN_FILENO, directions.size());
    epoll_event ready[events_at_once];
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
        pollfd any{sources, POLLIN, 0};
        if (ppoll(&any, 1, next == Time::max() ? nullptr : &timeout, nullptr) <= 0) continue;
        const int count = epoll_wait(sources, ready, events_at_once, 0);
        for (int e = 0; e < count; ++e) {
            const std::size_t source = ready[e].data.u64;
            if (source < directions.size()) {
                directions[source].take(random);
                continue;
            }
            if (!lines.fill()) epoll_ctl(sources, EPOLL_CTL_DEL, STDIN_FILENO, nullptr);
            while (const auto line = lines.next())
                if (!line->empty()) wires.change(read_wire(*line));
        }
    }
}
