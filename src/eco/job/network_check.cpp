// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/network_check.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "eco/base/say.h"
#include "eco/job/communicator.h"
#include "eco/mpi/clocks.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/mpi/tags.h"

namespace eco {

namespace {

// So a program of few calls pays nothing, and one of many runs natively before its 50th. Before the
// first sum, so that its bits do not change within the job.
constexpr int calls_before_check = 8;

// The first one makes the connection. The least of the others is hardly disturbed.
constexpr int most_trips = 8;

// Where a round trip should take less, all of them are made unless the pair is faster: one that a
// busy processor delays looks as if it had been measured so (three-segments' profile on two-sites,
// MPICH: 3 of 5 faster pairs by one trip).
constexpr Seconds short_trip = 2e-3;

enum class More : unsigned char { no, yes };  // first byte of a message: whether another one comes

class RoundTrips {
public:
    RoundTrips(MPI_Comm comm, Bytes bytes) : comm_(comm), message_(at(bytes)) {}

    PairFit to(Rank other, Seconds expected) {
        Seconds least = never;
        PairFit fit = PairFit::slower;
        for (int trip = 0; trip < most_trips; ++trip) {
            const Seconds before = Clocks::own();
            send(other, trip + 1 < most_trips ? More::yes : More::no);
            receive(other);
            if (trip == 0) continue;
            least = std::min(least, Clocks::own() - before);
            fit = fit_of(least, expected, static_cast<Bytes>(message_.size()));
            const bool may_be_delayed = fit == PairFit::as_measured && expected < short_trip;
            if (fit == PairFit::slower || may_be_delayed || trip + 1 == most_trips) continue;
            send(other, More::no);
            receive(other);
            break;
        }
        return fit;
    }

    void from(Rank other) {
        for (More more = More::yes; more == More::yes;) {
            more = receive(other);
            send(other, more);
        }
    }

private:
    void send(Rank other, More more) {
        message_.front() = static_cast<std::byte>(more);
        check_mpi(native().Send(message_.data(), static_cast<int>(message_.size()), native().byte,
                                other, network_check_tag, comm_));
    }
    More receive(Rank other) {
        check_mpi(native().Recv(message_.data(), static_cast<int>(message_.size()), native().byte,
                                other, network_check_tag, comm_, MPI_STATUS_IGNORE));
        return static_cast<More>(message_.front());
    }

    MPI_Comm comm_;
    std::vector<std::byte> message_;
};

PairCounts agreed(const PairCounts& own, MPI_Comm comm) {
    const int mine[3] = {own.as_measured, own.faster, own.slower};
    int all[3] = {};
    check_mpi(native().Allreduce(mine, all, 3, native().int32, native().sum, comm));
    return {all[0], all[1], all[2]};
}

}  // namespace

bool NetworkCheck::is_due(Bytes bytes, When when) {
    if (differs()) return false;
    const Session& here = *session();
    if (!here.settings.checks_network || here.settings.choice != "auto" || !can_predict())
        return false;
    for (std::size_t length = lengths.size(); length-- > 0;) {
        if (length > 0 && bytes < lengths[length]) continue;
        if (calls_[length] == calls_before_check) continue;
        calls_[length] = when == When::now ? calls_before_check : calls_[length] + 1;
        if (calls_[length] < calls_before_check) continue;
        due_ = length;
        // A long message tells what a short one would.
        for (std::size_t less = 0; less < length; ++less) calls_[less] = calls_before_check;
        return true;
    }
    return false;
}

void NetworkCheck::inherit(Known known) {
    if (known == nothing) return;
    known_ = known;
    calls_[0] = calls_before_check;
    if (known != latency) calls_[1] = calls_before_check;
}

void NetworkCheck::run(const Communicator& communicator) {
    const Bytes bytes = lengths[due_];
    const Network& model = network();
    const Rank me = communicator.rank();
    RoundTrips trips(communicator.hidden(), bytes);
    PairCounts own;
    for (const auto& round : pairs_to_check(communicator.hierarchy().top, communicator.hosts()))
        for (const auto& [first, second] : round) {
            if (me == second) trips.from(first);
            if (me != first) continue;
            const int here = communicator.host_of(first), there = communicator.host_of(second);
            own.add(trips.to(second,
                             model.alone(here, there, bytes) + model.alone(there, here, bytes)));
        }
    const PairCounts counts = agreed(own, communicator.hidden());
    if (counts.all() == 0) return;  // no two of the hosts
    known_ = eco::differs(counts) ? other_network : due_ == 0 ? latency : rates;
    // One line a job, by the communicators of rank 0 of the job.
    if (known_ != other_network || session()->world_rank != 0 || session()->other_network) return;
    say("between " + std::to_string(counts.faster + counts.slower) + " of " +
        std::to_string(counts.all()) +
        " pairs of hosts messages take much less or much longer than the profile " +
        session()->settings.profile +
        " says, so it is of another network, and collectives are native from now on; 'eco "
        "measure --again' measures this one");
}

}  // namespace eco
