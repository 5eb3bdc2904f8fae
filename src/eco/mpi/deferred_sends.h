// SPDX-License-Identifier: BSD-3-Clause
// Deferred completion of sends: those that are not complete when their call returns. To far ranks a
// library may complete a send only when the receiver's acknowledgement arrives, long after the
// message has left. Short sends to far ranks are made from a copy, so the call need not wait. Kept
// by each communicator, filled by its transports.
#pragma once

#include <memory>
#include <vector>

#include "eco/base/units.h"
#include "eco/mpi/native.h"

namespace eco {

class DeferredSends {
public:
    using Copy = std::unique_ptr<std::byte[]>;

    DeferredSends() = default;
    // What is still under way keeps its copy for good.
    ~DeferredSends();
    DeferredSends(const DeferredSends&) = delete;
    DeferredSends& operator=(const DeferredSends&) = delete;

    // far: per rank, whether messages to it are long under way; empty: to none.
    void begin(std::vector<bool> far) {
        far_ = std::move(far);
        known_.assign(far_.size(), false);
    }

    // Whether a send may complete after the call: it is short enough to leave at once, however slow
    // its connection.
    bool suits(Rank to, Bytes bytes) const;
    // Whether `bytes` to a rank may be left under way: a first message may have to wait for a
    // connection, and then goes only while the library is called.
    bool may_leave(Rank to, Bytes bytes) const;
    // Whether nothing has come from a far rank yet, nor has a send to it ended: there may be no
    // connection.
    bool is_new(Rank rank) const {
        const auto place = static_cast<std::size_t>(rank);
        return !far_.empty() && far_[place] && !known_[place];
    }
    void is_connected(Rank rank) { known_[static_cast<std::size_t>(rank)] = true; }

    // Room for so many more, so that add() cannot fail: a copy that is not kept would be freed
    // under its message.
    void reserve(std::size_t more);
    // Takes over both.
    void add(MPI_Request request, Copy copy);

    // Drops those that have ended. Does not block.
    void drop_ended();

    // Waits for all: before their communicator is freed. All its ranks must be in the library then.
    void finish() noexcept;

private:
    std::vector<bool> far_, known_;  // per rank
    std::vector<MPI_Request> requests_;
    std::vector<Copy> copies_;
};

}  // namespace eco
