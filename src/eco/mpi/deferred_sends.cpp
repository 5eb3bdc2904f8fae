// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/deferred_sends.h"

#include <algorithm>
#include <utility>

namespace eco {

// What a socket's buffer holds from the first: more than that to one rank might leave only when the
// program calls MPI again.
static constexpr Bytes most_bytes = 16384;

bool DeferredSends::suits(Rank to, Bytes bytes) const {
    return !far_.empty() && bytes > 0 && bytes <= most_bytes && far_[static_cast<std::size_t>(to)];
}

bool DeferredSends::may_leave(Rank to, Bytes bytes) const {
    return bytes <= most_bytes && known_[static_cast<std::size_t>(to)];
}

void DeferredSends::reserve(std::size_t more) {
    const std::size_t needed = requests_.size() + more;
    if (needed <= std::min(requests_.capacity(), copies_.capacity())) return;
    requests_.reserve(2 * needed);
    copies_.reserve(2 * needed);
}

void DeferredSends::add(MPI_Request request, Copy copy) {
    requests_.push_back(request);
    copies_.push_back(std::move(copy));
}

DeferredSends::~DeferredSends() {
    for (Copy& copy : copies_) static_cast<void>(copy.release());
}

// One by one, as in mpi_transport.cpp. What has ended is request_null then.
void DeferredSends::drop_ended() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        int ended = 0;
        native().Test(&requests_[i], &ended, MPI_STATUS_IGNORE);
        if (requests_[i] == native().request_null) continue;
        requests_[kept] = requests_[i];
        std::swap(copies_[kept++], copies_[i]);
    }
    requests_.resize(kept);
    copies_.resize(kept);
}

void DeferredSends::finish() noexcept {
    for (MPI_Request& request : requests_)
        if (native().Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    requests_.clear();
    copies_.clear();
}

}  // namespace eco
