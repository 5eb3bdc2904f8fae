// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/deferred_sends.h"

#include <utility>

namespace eco {

// What a socket's buffer holds from the first: more than that to one rank might leave only when the
// program calls MPI again.
static constexpr Bytes most_bytes = 16384;
// Of several calls: by then the buffer has grown.
static constexpr Bytes most_under_way = 3 * most_bytes;

void DeferredSends::begin(std::vector<bool> far) {
    far_ = std::move(far);
    known_ = std::vector<std::atomic<bool>>(far_.size());
    under_way_ = std::vector<std::atomic<Bytes>>(far_.size());
}

bool DeferredSends::suits(Rank to, Bytes bytes) const {
    return !far_.empty() && bytes > 0 && bytes <= most_bytes && far_[at(to)];
}

bool DeferredSends::may_leave(Rank to, Bytes bytes) const {
    return bytes <= most_bytes && bytes + under_way_[at(to)] <= most_under_way && known_[at(to)];
}

void DeferredSends::add(std::list<Send> sends) noexcept {
    for (const Send& each : sends) under_way_[at(each.to)] += each.bytes;
    left_ += sends.size();
    const std::lock_guard lock(mutex_);
    sends_.splice(sends_.end(), sends);
}

DeferredSends::~DeferredSends() {
    for (Send& each : sends_) static_cast<void>(each.copy.release());
}

std::list<DeferredSends::Send> DeferredSends::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sends_, {});
}

void DeferredSends::drop(std::list<Send>& sends, std::list<Send>::iterator& place) {
    under_way_[at(place->to)] -= place->bytes;
    --left_;
    place = sends.erase(place);
}

// One by one, as in mpi_transport.cpp. What has ended is request_null then.
bool DeferredSends::drop_ended() {
    if (left_ == 0) return true;
    std::list<Send> sends = take();
    for (auto place = sends.begin(); place != sends.end();) {
        int ended = 0;
        native().Test(&place->request, &ended, MPI_STATUS_IGNORE);
        if (place->request == native().request_null)
            drop(sends, place);
        else
            ++place;
    }
    const std::lock_guard lock(mutex_);
    sends_.splice(sends_.begin(), sends);
    return left_ == 0;
}

void DeferredSends::finish() noexcept {
    std::list<Send> sends = take();
    for (auto place = sends.begin(); place != sends.end();) {
        if (native().Wait(&place->request, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
        drop(sends, place);
    }
    const std::lock_guard lock(mutex_);
    sends_.splice(sends_.begin(), sends);
}

}  // namespace eco
