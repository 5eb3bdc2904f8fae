// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/pair_watch.h"

#include <chrono>
#include <mutex>
#include <thread>

#include "eco/measure/protocol.h"

namespace eco {

namespace {

using WatchClock = std::chrono::steady_clock;

constexpr std::chrono::seconds until_first_word{10};
constexpr Bytes bytes_per_second = 125'000;  // of a link of 1 Mbit/s
constexpr std::chrono::milliseconds between_looks{500};

struct Watched {
    std::mutex mutex;
    bool started = false, waits = false;
    int one = 0, two = 0;
    WatchClock::time_point since;
    std::chrono::seconds next = until_first_word;
};

// Never destroyed, as its thread ends with the process.
Watched& watched() {
    static auto* const state = new Watched;
    return *state;
}

[[noreturn]] void watch() {
    Watched& state = watched();
    while (true) {
        std::this_thread::sleep_for(between_looks);
        const std::lock_guard lock(state.mutex);
        if (!state.waits || WatchClock::now() - state.since < state.next) continue;
        send_event({{"event", "waiting"},
                    {"ranks", {state.one, state.two}},
                    {"seconds", state.next.count()}});
        state.next *= 2;
    }
}

}  // namespace

PairWatch::PairWatch() {
    Watched& state = watched();
    const std::lock_guard lock(state.mutex);
    if (!state.started) std::thread(watch).detach();
    state.started = true;
}

PairWatch::~PairWatch() {
    Watched& state = watched();
    const std::lock_guard lock(state.mutex);
    state.waits = false;
}

void PairWatch::moved(int one, int two, Bytes bytes) {
    Watched& state = watched();
    const std::lock_guard lock(state.mutex);
    state.waits = true;
    state.one = one;
    state.two = two;
    state.since = WatchClock::now();
    state.next = until_first_word + std::chrono::seconds(bytes / bytes_per_second);
}

}  // namespace eco
