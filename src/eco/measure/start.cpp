// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/start.h"

#include <algorithm>
#include <thread>

#include "eco/mpi/mpi_transport.h"

namespace eco {

namespace {

constexpr int tag = 77;

// Clocks of different hosts drift apart by some 10 us a second at worst.
constexpr Seconds good_for = 5;

Seconds own_time() {
    return std::chrono::duration<double>(Start::Clock::now().time_since_epoch()).count();
}

void wait_for(MpiTransport& transport, int count) {
    std::vector<int> ended;
    while (static_cast<int>(ended.size()) < count) transport.wait(ended);
}

Bytes bytes_of(const std::vector<Seconds>& words) {
    return static_cast<Bytes>(words.size() * sizeof(Seconds));
}

void send(MPI_Comm comm, Rank to, const std::vector<Seconds>& words) {
    MpiTransport transport(comm);
    transport.send(0, words.data(), bytes_of(words), to, tag);
    wait_for(transport, 1);
}

void send(MPI_Comm comm, Rank to, Seconds time) { send(comm, to, std::vector{time}); }

void receive(MPI_Comm comm, Rank from, std::vector<Seconds>& words) {
    MpiTransport transport(comm);
    transport.recv(0, words.data(), bytes_of(words), from, tag);
    wait_for(transport, 1);
}

Seconds receive(MPI_Comm comm, Rank from) {
    std::vector<Seconds> words{0};
    receive(comm, from, words);
    return words.front();
}

}  // namespace

Start::Start(MPI_Comm comm, const Start* known) : comm_(comm) {
    const Native& mpi = native();
    check_mpi(mpi.Comm_rank(comm, &rank_));
    check_mpi(mpi.Comm_size(comm, &ranks_));
    if (!known) {
        read_clocks();
        return;
    }
    ahead_ = known->ahead_;
    read_at_ = known->read_at_;
    read_took_ = known->read_took_;
    // The first rank is another one here; what a message takes at most, the former one knows.
    Seconds first = ahead_;
    check_mpi(mpi.Bcast(&first, 1, mpi.real64, 0, comm));
    const Seconds its[] = {known->notice_.round_trip(), known->notice_.more()};
    Seconds all[] = {0, 0};
    check_mpi(mpi.Allreduce(its, all, 2, mpi.real64, mpi.max, comm));
    notice_ = Notice(all[0], all[1]);
    ahead_ -= first;
}

Seconds Start::now() const { return own_time() - ahead_; }

void Start::read_clocks() {
    const Seconds began = own_time();
    if (rank_ != 0) {
        // Negative: no more questions.
        while (receive(comm_, 0) >= 0) send(comm_, 0, own_time());
        ahead_ = receive(comm_, 0);
    } else {
        Seconds farthest = 0;
        for (Rank other = 1; other < ranks_; ++other) {
            Seconds least = 1e9, ahead = 0;
            // Fewer where a round trip takes long: its jitter is no larger there.
            for (int times = 0; times < 3 || (times < 12 && least < 0.01); ++times) {
                const Seconds asked = own_time();
                send(comm_, other, 0);
                const Seconds its_time = receive(comm_, other), answered = own_time();
                if (answered - asked > least) continue;
                least = answered - asked;
                ahead = its_time - (asked + answered) / 2;
            }
            send(comm_, other, -1);
            send(comm_, other, ahead);
            farthest = std::max(farthest, least);
        }
        notice_.set_round_trip(farthest);
    }
    read_at_ = own_time();
    read_took_ = read_at_ - began;
}

void Start::tell_all(const std::vector<Seconds>& words) {
    MpiTransport transport(comm_);
    for (Rank other = 1; other < ranks_; ++other)
        transport.send(other, words.data(), bytes_of(words), other, tag);
    wait_for(transport, ranks_ - 1);
}

std::vector<Seconds> Start::greatest(std::vector<Seconds> own) {
    // The first rank knows the round trip, each rank how late it was.
    own.insert(own.end(), {notice_.round_trip(), late_waited_, late_at_once_});
    late_waited_ = late_at_once_ = 0;
    if (rank_ != 0) {
        send(comm_, 0, own);
        receive(comm_, 0, own);
    } else {
        std::vector<std::vector<Seconds>> words(static_cast<std::size_t>(ranks_), own);
        MpiTransport transport(comm_);
        for (Rank other = 1; other < ranks_; ++other)
            transport.recv(other, words[static_cast<std::size_t>(other)].data(), bytes_of(own),
                           other, tag);
        wait_for(transport, ranks_ - 1);
        for (const auto& theirs : words)
            for (std::size_t i = 0; i < own.size(); ++i) own[i] = std::max(own[i], theirs[i]);
        tell_all(own);
    }
    const Seconds *const told = own.data() + own.size() - 3, waited = told[1], at_once = told[2];
    notice_.judge(waited, at_once, told[0]);
    late_ = std::max(waited, at_once);
    own.resize(own.size() - 3);
    return own;
}

std::vector<double> Start::of_first(std::vector<double> own) {
    if (rank_ == 0)
        tell_all(own);
    else
        receive(comm_, 0, own);
    return own;
}

Start::Clock::time_point Start::together() {
    const bool waits = !notice_.take_at_once();
    Seconds moment = 0;
    if (rank_ != 0) {
        if (waits) send(comm_, 0, 0);
        // Below zero: the clocks are read again first.
        if ((moment = receive(comm_, 0)) < 0) {
            read_clocks();
            moment = receive(comm_, 0);
        }
    } else {
        if (waits) {
            std::vector<Seconds> words(static_cast<std::size_t>(ranks_));
            MpiTransport transport(comm_);
            for (Rank other = 1; other < ranks_; ++other)
                transport.recv(other, &words[static_cast<std::size_t>(other)], sizeof(Seconds),
                               other, tag);
            wait_for(transport, ranks_ - 1);
        }
        if (own_time() - read_at_ > std::max(good_for, 20 * read_took_)) {
            tell_all({-1});
            read_clocks();
        }
        moment = own_time() + notice_.time();
        tell_all({moment});
    }
    Seconds& late = waits ? late_waited_ : late_at_once_;
    late = std::max(late, now() - moment);
    const Clock::time_point start{std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(moment + ahead_))};
    std::this_thread::sleep_until(start);
    return start;
}

}  // namespace eco
