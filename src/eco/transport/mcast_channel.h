// SPDX-License-Identifier: BSD-3-Clause
// One process's access to its job's multicasts, shared by its calls and threads: paces what leaves,
// gives arriving datagrams to their call, keeps a few that arrive before their call. Not reliable
// by itself: mcast_sender.h and mcast_receiver.h repair losses.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "eco/transport/mcast_datagram.h"

namespace eco {

// Seconds of a clock that never goes back.
inline Seconds mcast_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

class McastChannel {
public:
    // A switch that snoops forgets who does not say again, on request, that it listens; some have
    // nobody who requests it. Reports at the beginning of a call cost nothing at such distances.
    static constexpr Seconds until_forgotten = 10;

    // payload: the message's bytes in one datagram; the same in all processes.
    McastChannel(std::unique_ptr<Datagrams> datagrams, const McastKey& key, Bytes payload,
                 Seconds forgotten_after = until_forgotten)
        : datagrams_(std::move(datagrams)),
          key_(key),
          payload_(payload),
          forgotten_after_(forgotten_after) {}

    Bytes payload() const { return payload_; }
    // The wire's bytes of a datagram besides the message's and our header.
    Bytes frame() const { return mcast_frame(datagrams_->family()); }
    // An empty message has one as well.
    std::uint32_t datagrams_of(Bytes bytes) const {
        return static_cast<std::uint32_t>(std::max<Bytes>(1, (bytes + payload_ - 1) / payload_));
    }
    // Datagrams that a receiver which is not in its call keeps in its socket: half of what Linux
    // has room for if nobody has changed its limits.
    std::int64_t window() const;

    // A communicator that this process is in; datagrams of others are dropped.
    void know(std::uint64_t context);
    void forget(std::uint64_t context);

    // What receives the datagrams of one call. Called with the channel locked.
    class Listener {
    public:
        virtual void take(const McastHeader& header, std::span<const std::byte> data) = 0;

    protected:
        ~Listener() = default;
    };
    // Calls of one communicator come in the order of their numbers. At once gets what came early.
    // Whether switches may have forgotten this process before the call.
    bool attach(const McastCall& call, Listener& listener);
    void detach(const McastCall& call);

    // Sends as many as the pace allows now, at `rate` bytes of the wire per second; how many. wait:
    // until more may leave.
    std::size_t send(std::span<Datagram> datagrams, double rate, Seconds& wait,
                     const McastAddress& to = all_of_the_job);
    // One that is short, at once.
    void send_now(Datagram datagram, const McastAddress& to);

    // Where a rank of a communicator sends from, if anything of it has come; else all_of_the_job.
    McastAddress address_of(std::uint64_t context, Rank rank) const;

    // Of the rate that was measured, the part that is used: less after losses.
    void note_losses();
    void note_clean_call();

    double share() const {
        const std::lock_guard lock(mutex_);
        return share_;
    }

    // Datagrams may be on their way for longer than usual where others fill the same links. The
    // longest pause between two of one message that was no loss, forgotten slowly.
    void note_pause(Seconds pause);
    Seconds pause() const { return pause_; }

    // Hands over what has arrived, or a part if it is very much; whether there was any.
    bool receive();
    // When last nothing more had arrived.
    Seconds looked() const { return looked_; }
    void sleep(Seconds longest) { datagrams_->sleep(longest); }

    // Datagrams, since the beginning.
    struct Counts {
        std::int64_t sent = 0, sent_again = 0;
        std::int64_t foreign = 0;  // heard, but not this job's
    };
    Counts counts() const {
        const std::lock_guard lock(mutex_);
        return counts_;
    }
    void note_sent_again(std::int64_t datagrams) {
        const std::lock_guard lock(mutex_);
        counts_.sent_again += datagrams;
    }

    // Room for so many bytes that calls leave behind; whether there is. Given back by less than 0.
    bool keep(Bytes bytes);

private:
    struct Early {
        McastHeader header;
        std::vector<std::byte> data;
    };
    void take(const McastHeader& header, std::span<const std::byte> data, const McastAddress& from);
    void drop_early(const McastCall& from, const McastCall& to);

    std::unique_ptr<Datagrams> datagrams_;
    const McastKey key_;
    const Bytes payload_;
    const Seconds forgotten_after_;
    Seconds said_ = mcast_now(), last_attached_ = said_;
    mutable std::mutex mutex_;
    std::map<McastCall, Listener*> listeners_;
    std::map<std::uint64_t, std::int64_t> last_call_;  // per context, of those attached; -1: none
    std::map<McastCall, std::vector<Early>> early_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, McastAddress> addresses_;
    Bytes early_bytes_ = 0, kept_bytes_ = 0;
    Counts counts_;
    Seconds free_ = 0;                             // when all that was sent is on the wire
    double share_ = 1;                             // of the rate
    std::atomic<Seconds> pause_ = 0, looked_ = 0;  // used while the channel is locked, too
};

}  // namespace eco
