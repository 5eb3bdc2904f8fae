// SPDX-License-Identifier: BSD-3-Clause
// The state that the multicasts of one communicator share on one rank, from call to call. Kept by
// job/communicator.h, used by McastTransport. A call may return before late receivers have all
// data; then the library's progress and later calls complete it, one call at a time.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "eco/transport/mcast_messages.h"

namespace eco {

class McastTransport;

struct McastContext {
    std::uint64_t number = 0;  // all its ranks have the same, and no other communicator has it
    std::uint32_t calls = 0;
    // Receivers that no multicast reaches, and senders whose multicasts do not arrive here, from
    // which call on: messages go point to point. Both ends know which call before it comes.
    std::map<Rank, std::uint32_t> unreached, unreachable_senders;
    // Per receiver, datagrams in a row that did not arrive there.
    std::map<Rank, std::int64_t> consecutive_losses;
    // Calls that still expect losses: the first ones, and those after one that lost something.
    static constexpr int probation = 64;
    int probation_calls = probation;
    // Per receiver, the part of the datagrams that it asked for of late.
    std::map<Rank, double> lost;
    std::unique_ptr<McastMessages> messages;

    // Whether something moves calls on that have left.
    bool may_leave = false;
    std::vector<McastTransport*> left;  // calls, oldest first

    std::atomic<bool> busy = false;
};

// All of the above, and the transports of its calls, are used by one at a time. The library's
// progress, which may be entered from within, only tries.
class McastTurn {
public:
    // Waits for it, unless this thread has it by OwnMcastTurn.
    explicit McastTurn(McastContext& context);
    static bool try_take(McastContext& context) {
        return !context.busy.exchange(true, std::memory_order_acquire);
    }
    McastTurn(McastContext& context, std::adopt_lock_t) : context_(&context) {}
    ~McastTurn() {
        if (context_) context_->busy.store(false, std::memory_order_release);
    }
    McastTurn(const McastTurn&) = delete;
    McastTurn& operator=(const McastTurn&) = delete;

private:
    McastContext* context_;  // null: OwnMcastTurn has it
};

// One for several steps of a call that the library's progress moves on: it tries, and what this
// thread does with the call until the end of it needs no other.
class OwnMcastTurn {
public:
    explicit OwnMcastTurn(McastContext& context)
        : context_(McastTurn::try_take(context) ? &context : nullptr), before_(own_) {
        if (context_) own_ = context_;
    }
    ~OwnMcastTurn() {
        if (!context_) return;
        own_ = before_;
        context_->busy.store(false, std::memory_order_release);
    }
    OwnMcastTurn(const OwnMcastTurn&) = delete;
    OwnMcastTurn& operator=(const OwnMcastTurn&) = delete;
    explicit operator bool() const { return context_ != nullptr; }

    static bool is_for(const McastContext& context) { return own_ == &context; }

private:
    static inline thread_local const McastContext* own_ = nullptr;
    McastContext* context_;
    const McastContext* before_;
};

inline McastTurn::McastTurn(McastContext& context) : context_(&context) {
    if (OwnMcastTurn::is_for(context)) {
        context_ = nullptr;
        return;
    }
    while (context.busy.exchange(true, std::memory_order_acquire)) sched_yield();
}

}  // namespace eco
