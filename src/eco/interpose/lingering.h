// Sends that the library has not reported yet when their call returns. Over a long way a library
// may report a send only once its receiver has said that it has it, a whole way back later; the
// message itself is long under way. Short ones over such ways are sent from a copy, so that the
// call need not wait. Kept by each communicator, filled by its transports.
#pragma once

#include <memory>
#include <vector>

#include "eco/base/units.h"
#include "eco/interpose/native.h"

namespace eco {

class Lingering {
public:
    using Copy = std::unique_ptr<std::byte[]>;

    // far: per rank, whether messages to it are long under way; empty: to none.
    void begin(std::vector<bool> far) {
        far_ = std::move(far);
        known_.assign(far_.size(), false);
    }

    // Whether a send may linger: it is short enough to leave at once, however slow its connection.
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

    // Takes over both.
    void add(MPI_Request request, Copy copy);

    // Drops those that have ended. Does not block.
    void drop_ended();

    // Waits for all: before their communicator is freed. All its ranks must be in the library then.
    void finish();

private:
    std::vector<bool> far_, known_;  // per rank
    std::vector<MPI_Request> requests_;
    std::vector<Copy> copies_;
};

}  // namespace eco
