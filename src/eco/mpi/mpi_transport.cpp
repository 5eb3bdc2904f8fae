// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/mpi_transport.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "eco/base/check.h"
#include "eco/mpi/clocks.h"
#include "eco/mpi/threads.h"

namespace eco {

// An MPI count is an int; both ends cut alike.
static constexpr Bytes chunk = Bytes{1} << 30;

// Requests whose memory a thread keeps between calls.
static constexpr std::size_t most_kept = 1024;

MpiTransport::~MpiTransport() {
    for (std::size_t i = 0; i < requests_.handles.size(); ++i)
        if (requests_.is_receive[i] && requests_.handles[i] != native().request_null)
            native().Cancel(&requests_.handles[i]);
    for (auto& [id, copied] : copied_) static_cast<void>(copied.copy.release());
    if (!requests_.handles.empty() || requests_.ids.capacity() > most_kept) return;
    requests_.indices.clear();
    requests_.statuses.clear();
    if (Requests* spare = spare_of_thread()) *spare = std::move(requests_);
}

// None once the thread's variables are destroyed: destructors and atexit handlers may still call
// MPI.
MpiTransport::Requests* MpiTransport::spare_of_thread() {
    static thread_local bool gone = false;
    struct Spare {
        Requests requests;
        ~Spare() { gone = true; }
    };
    static thread_local Spare spare;
    return gone ? nullptr : &spare.requests;
}

MpiTransport::Requests MpiTransport::take_spare() {
    Requests* spare = spare_of_thread();
    return spare ? std::move(*spare) : Requests();
}

// Room first: a request that is not kept could not be waited for.
MPI_Request& MpiTransport::add(int id, bool is_receive) {
    if (requests_.ids.size() == requests_.ids.capacity() ||
        requests_.ids.size() == requests_.is_receive.capacity()) {
        const std::size_t more = std::max<std::size_t>(16, 2 * requests_.ids.size());
        requests_.ids.reserve(more);
        requests_.is_receive.reserve(more);
    }
    requests_.handles.push_back(native().request_null);
    requests_.ids.push_back(id);
    requests_.is_receive.push_back(is_receive);
    return requests_.handles.back();
}

void MpiTransport::send(int id, const void* data, Bytes bytes, Rank to, int tag) {
    if (deferred_sends_ && deferred_sends_->suits(to, bytes)) {
        DeferredSends::Copy copy(new std::byte[static_cast<std::size_t>(bytes)]);
        std::memcpy(copy.get(), data, static_cast<std::size_t>(bytes));
        data = copy.get();
        copied_to_[to] += bytes;
        copied_[id] = {std::move(copy), to, bytes};
    }
    if (bytes > chunk) chunks_left_[id] = static_cast<int>((bytes + chunk - 1) / chunk);
    const auto* start = static_cast<const std::byte*>(data);
    Bytes sent = 0;
    do {
        const Bytes length = std::min(chunk, bytes - sent);
        check_mpi(native().Isend(start + sent, static_cast<int>(length), native().byte, to, tag,
                                 comm_, &add(id, false)));
        sent += length;
    } while (sent < bytes);
}

void MpiTransport::recv(int id, void* data, Bytes bytes, Rank from, int tag) {
    if (deferred_sends_ && deferred_sends_->is_new(from)) first_[id] = from;
    if (bytes > chunk) chunks_left_[id] = static_cast<int>((bytes + chunk - 1) / chunk);
    auto* start = static_cast<std::byte*>(data);
    Bytes received = 0;
    do {
        const Bytes length = std::min(chunk, bytes - received);
        check_mpi(native().Irecv(start + received, static_cast<int>(length), native().byte, from,
                                 tag, comm_, &add(id, true)));
        received += length;
    } while (received < bytes);
}

// One that was longer than its place has ended, and the others must still: as natively the job goes
// on.
void MpiTransport::check_message(int code) {
    int of = MPI_SUCCESS;
    if (code == MPI_SUCCESS) return;
    check_mpi(native().Error_class(code, &of));
    if (of != MPI_ERR_TRUNCATE) throw MpiError{code};
    truncated_ = code;
}

// A try in vain. The clock takes longer to read than that.
void MpiTransport::note_idle_poll() {
    constexpr std::uint32_t tries_per_look = 1024;
    constexpr Seconds first_look = 5, between_looks = 1;
    if (!patience_ || ++idle_polls_ % tries_per_look != 0) return;
    const Seconds now = Clocks::own();
    if (idle_polls_ == tries_per_look) next_look_ = now + first_look;
    if (now < next_look_) return;
    next_look_ = now + between_looks;
    patience_->look();
}

// ECO_WAITS_FOR_SOME: a simulated MPI, whose clock stands still while a rank tests.
#if defined(OPEN_MPI) || defined(ECO_WAITS_FOR_SOME)
#if defined(ECO_WAITS_FOR_SOME)
static constexpr bool may_test = false;
#else
static constexpr bool may_test = true;
#endif

// Where threads call MPI at once, never MPI_Waitsome: if another thread completes two of its
// requests, Open MPI may count the second one after the function has returned, in what was its
// stack frame (decision 0046). MPI_Testsome leaves no such place to write to.
int MpiTransport::find_some(bool block) {
    int count = 0;
    requests_.statuses.resize(requests_.handles.size());
    const bool threads = block && threads_call_at_once(), tests = may_test && patience_;
    const auto some = block && !threads && !tests ? native().Waitsome : native().Testsome;
    const auto find = [&] {
        return some(static_cast<int>(requests_.handles.size()), requests_.handles.data(), &count,
                    requests_.indices.data(), requests_.statuses.data());
    };
    int code = find();
    while (block && count == 0 && code == MPI_SUCCESS) {
        note_idle_poll();
        // With one thread the library does so itself, if it is told to.
        if (threads) sched_yield();
        code = find();
    }
    if (code == MPI_ERR_IN_STATUS)
        for (int i = 0; i < count; ++i)
            check_message(requests_.statuses[static_cast<std::size_t>(i)].MPI_ERROR);
    else
        check_mpi(code);
    return count;
}

// Quicker than the functions for several.
void MpiTransport::wait_for_one() {
    MPI_Request* one = requests_.handles.data();
    if (!may_test || !patience_) return check_message(native().Wait(one, MPI_STATUS_IGNORE));
    int ended = 0;
    while (true) {
        check_message(native().Test(one, &ended, MPI_STATUS_IGNORE));
        if (ended) return;
        note_idle_poll();
        if (idle_polls_ % 32 == 0 && threads_call_at_once()) sched_yield();
    }
}
#else
// MPICH may be told to sleep where a rank waits; then what tests in its place does so too.
static void let_others_run() {
    static const bool sleeps = [] {
        const char* told = std::getenv("MPIR_CVAR_ENABLE_HEAVY_YIELD");
        return told && *told && *told != '0';
    }();
    if (!sleeps) {
        sched_yield();
        return;
    }
    const timespec shortest{0, 1};
    nanosleep(&shortest, nullptr);
}

// MPICH raises the errors of functions that take several requests with the handler of
// MPI_COMM_SELF, which is the program's, whatever communicators they are of; those of MPI_Wait and
// MPI_Test with that of the request's communicator, which is ours and returns them.
int MpiTransport::find_some(bool block) {
    const std::size_t all = requests_.handles.size();
    int count = 0;
    // Each try lets the library move all messages. Once some have ended, what follows from them
    // should not wait for many that have not; the next call goes on from there.
    constexpr int rounds_before_yielding = 32, most_idle_polls = 8;
    int idle_polls = 0;
    for (int round = 1; true; ++round) {
        for (std::size_t tried = 0; tried < all; ++tried) {
            next_ = next_ + 1 < all ? next_ + 1 : 0;
            int ended = 0;
            const int code = native().Test(&requests_.handles[next_], &ended, MPI_STATUS_IGNORE);
            if (requests_.handles[next_] != native().request_null) {
                check_mpi(code);
                if (count > 0 && ++idle_polls == most_idle_polls) return count;
                continue;
            }
            check_message(code);
            requests_.indices[static_cast<std::size_t>(count++)] = static_cast<int>(next_);
        }
        if (count > 0 || !block) return count;
        note_idle_poll();
        if (round % rounds_before_yielding == 0) sched_yield();
    }
}

void MpiTransport::wait_for_one() {
    MPI_Request* one = requests_.handles.data();
    if (!patience_) return check_message(native().Wait(one, MPI_STATUS_IGNORE));
    constexpr int tries_before_yielding = 20;
    for (int tries = 1; true; ++tries) {
        int ended = 0;
        const int code = native().Test(one, &ended, MPI_STATUS_IGNORE);
        if (*one == native().request_null) return check_message(code);
        check_mpi(code);
        note_idle_poll();
        if (tries % tries_before_yielding == 0) let_others_run();
    }
}
#endif

// Puts the places of what has ended first into `indices`; how many.
int MpiTransport::find_ended(bool block) {
    requests_.indices.resize(requests_.handles.size());
    int count = 1;
    if (!block || requests_.handles.size() > 1) {
        count = find_some(block);
    } else {
        wait_for_one();
        requests_.indices[0] = 0;
    }
    if (count > 0)
        idle_polls_ = 0;
    else
        note_idle_poll();
    return count;
}

void MpiTransport::some(bool block, std::vector<int>& ended) {
    const int count = find_ended(block);
    std::sort(requests_.indices.begin(), requests_.indices.begin() + count);
    for (int i = 0; i < count; ++i) {
        const int id =
            requests_.ids[static_cast<std::size_t>(requests_.indices[static_cast<std::size_t>(i)])];
        const auto chunks = chunks_left_.find(id);
        if (chunks == chunks_left_.end()) {
            ended.push_back(id);
            if (const auto copied = copied_.find(id); copied != copied_.end()) {
                deferred_sends_->is_connected(copied->second.to);
                copied_to_[copied->second.to] -= copied->second.bytes;
                copied_.erase(copied);
            } else if (const auto first = first_.find(id); first != first_.end()) {
                deferred_sends_->is_connected(first->second);
                first_.erase(first);
            }
        } else if (--chunks->second == 0) {
            chunks_left_.erase(chunks);
            ended.push_back(id);
        }
    }
    // The last ones move into the gaps; order does not matter to matching once started.
    for (int i = count; i-- > 0;) {
        const auto gap = static_cast<std::size_t>(requests_.indices[static_cast<std::size_t>(i)]);
        requests_.handles[gap] = requests_.handles.back();
        requests_.ids[gap] = requests_.ids.back();
        requests_.is_receive[gap] = requests_.is_receive.back();
        requests_.handles.pop_back();
        requests_.ids.pop_back();
        requests_.is_receive.pop_back();
    }
}

void MpiTransport::wait(std::vector<int>& ended) {
    const std::size_t before = ended.size();
    while (ended.size() == before) some(true, ended);
}

void MpiTransport::poll(std::vector<int>& ended) {
    if (!requests_.handles.empty()) return some(false, ended);
    int there = 0;
    check_mpi(native().Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, MPI_STATUS_IGNORE));
}

std::size_t MpiTransport::deferrable_sends() const {
    const bool all = std::all_of(copied_to_.begin(), copied_to_.end(), [this](const auto& to) {
        return to.second == 0 || deferred_sends_->may_leave(to.first, to.second);
    });
    return all ? copied_.size() : 0;
}

// Room first: a copy that is not kept would be freed under its message.
void MpiTransport::leave() {
    if (!deferred_sends_ || requests_.handles.empty()) return;
    std::list<DeferredSends::Send> left(requests_.handles.size());
    std::size_t next = 0;
    for (DeferredSends::Send& each : left) {
        Copied& copied = copied_.at(requests_.ids[next]);
        each = {requests_.handles[next++], std::move(copied.copy), copied.to, copied.bytes};
    }
    deferred_sends_->add(std::move(left));
    requests_.handles.clear();
    requests_.ids.clear();
    requests_.is_receive.clear();
    copied_.clear();
    copied_to_.clear();
}

void MpiTransport::native_part(Operation part, const void* from, void* to, Bytes bytes, Rank root) {
    const Native& mpi = native();
    ECO_CHECK(inside_.ranks);
    const auto place = std::lower_bound(inside_.ranks->begin(), inside_.ranks->end(), root);
    const int inner_root = static_cast<int>(place - inside_.ranks->begin());
    if (part == Operation::barrier) return check_mpi(mpi.Barrier(inside_.comm));
    const bool reduces = part != Operation::bcast;
    const Bytes unit = reduces ? reduction_.extent : 1;
    const auto at = [&](const void* memory, Bytes offset) {
        auto* start = static_cast<std::byte*>(const_cast<void*>(memory));
        return start ? start + offset - (reduces ? reduction_.true_lb : 0) : nullptr;
    };
    for (Bytes done = 0; done < bytes; done += chunk * unit) {
        const int count = static_cast<int>(std::min(chunk, (bytes - done) / unit));
        std::byte *source = at(from, done), *target = at(to, done);
        if (!reduces) {
            check_mpi(
                mpi.Bcast(source ? source : target, count, mpi.byte, inner_root, inside_.comm));
            continue;
        }
        const void* given = source == target ? MPI_IN_PLACE : source;
        check_mpi(part == Operation::reduce ? mpi.Reduce(given, target, count, reduction_.type,
                                                         reduction_.op, inner_root, inside_.comm)
                                            : mpi.Allreduce(given, target, count, reduction_.type,
                                                            reduction_.op, inside_.comm));
    }
}

}  // namespace eco
