#include "eco/interpose/lingering.h"

#include "eco/interpose/quiet.h"

namespace eco {

// What a socket's buffer holds from the first: more than that to one rank might leave only when the
// program calls MPI again.
static constexpr Bytes most_bytes = 16384;

bool Lingering::suits(Rank to, Bytes bytes) const {
    return !far_.empty() && bytes > 0 && bytes <= most_bytes && far_[static_cast<std::size_t>(to)];
}

bool Lingering::may_leave(Rank to, Bytes bytes) const {
    return bytes <= most_bytes && known_[static_cast<std::size_t>(to)];
}

void Lingering::add(MPI_Request request, Copy copy) {
    requests_.push_back(request);
    copies_.push_back(std::move(copy));
}

// What has ended is request_null then, wherever it stands.
void Lingering::drop_ended() {
    if (requests_.empty()) return;
    int count = 0;
    std::vector<int> indices(requests_.size());
    std::vector<MPI_Status> statuses(requests_.size());
    const QuietRequests quiet;
    native().Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, indices.data(),
                      statuses.data());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i] == native().request_null) continue;
        requests_[kept] = requests_[i];
        copies_[kept++] = std::move(copies_[i]);
    }
    requests_.resize(kept);
    copies_.resize(kept);
}

void Lingering::finish() {
    if (requests_.empty()) return;  // MPI may have ended
    std::vector<MPI_Status> statuses(requests_.size());
    std::vector<int> indices(requests_.size());
    int count = 0;
    const auto all = static_cast<int>(requests_.size());
    const QuietRequests quiet;
    while (count != MPI_UNDEFINED)
        if (native().Waitsome(all, requests_.data(), &count, indices.data(), statuses.data()) !=
            MPI_SUCCESS)
            break;
    requests_.clear();
    copies_.clear();
}

}  // namespace eco
