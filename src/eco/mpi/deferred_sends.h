// SPDX-License-Identifier: BSD-3-Clause
// Deferred completion of sends: those that are not complete when their call returns. To far ranks a
// library may complete a send only when the receiver's acknowledgement arrives, long after the
// message has left. Short sends to far ranks are made from a copy, so the call need not wait. Kept
// by each communicator, filled by its transports, in any thread and from within the library's
// progress.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "eco/base/at.h"
#include "eco/base/units.h"
#include "eco/mpi/native.h"

namespace eco {

class DeferredSends {
public:
    using Copy = std::unique_ptr<std::byte[]>;
    struct Send {
        MPI_Request request{};
        Copy copy;
        Rank to = 0;
        Bytes bytes = 0;
    };

    DeferredSends() = default;
    // What is still under way keeps its copy for good.
    ~DeferredSends();
    DeferredSends(const DeferredSends&) = delete;
    DeferredSends& operator=(const DeferredSends&) = delete;

    // far: per rank, whether messages to it are long under way; empty: to none.
    void begin(std::vector<bool> far);

    // Whether a send may complete after the call: it is short enough to leave at once, however slow
    // its connection.
    bool suits(Rank to, Bytes bytes) const;
    // Whether `bytes` to a rank may be left under way, after what earlier calls have left: a first
    // message may have to wait for a connection, and then goes only while the library is called.
    bool may_leave(Rank to, Bytes bytes) const;
    // Whether nothing has come from a far rank yet, nor has a send to it ended: there may be no
    // connection.
    bool is_new(Rank rank) const { return !far_.empty() && far_[at(rank)] && !known_[at(rank)]; }
    void is_connected(Rank rank) { known_[at(rank)] = true; }

    // Takes them over.
    void add(std::list<Send> sends) noexcept;

    // Drops those that have ended. Does not block. True when there are no others.
    bool drop_ended();

    // Waits for all: before their communicator is freed. All its ranks must be in the library then.
    void finish() noexcept;

private:
    std::list<Send> take();
    void drop(std::list<Send>& sends, std::list<Send>::iterator& place);

    std::vector<bool> far_;  // per rank, as all below
    std::vector<std::atomic<bool>> known_;
    std::vector<std::atomic<Bytes>> under_way_;
    std::atomic<std::size_t> left_ = 0;
    std::mutex mutex_;  // of the list; never while the library is called, which may come back here
    std::list<Send> sends_;
};

}  // namespace eco
