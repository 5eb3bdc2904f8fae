// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/trial.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/measure/rank_order.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/preload/wrappers.h"

namespace eco {

static std::size_t at(Bytes index) { return static_cast<std::size_t>(index); }

Trial::Trial(Operation operation, Bytes bytes, MPI_Comm comm)
    : operation_(operation), bytes_(bytes), comm_(comm), communicator_(communicator_of(comm)) {
    if (!communicator_)
        throw Error(Code::launch,
                    "timing collectives needs two ranks or more, on hosts of the profile");
    if (!communicator_->ready())
        throw Error(Code::environment, "the MPI library has no communicator left for timing");
    ranks_ = communicator_->size();
    rank_ = communicator_->rank();
    const auto& kind = traits(operation);
    // Reductions are of doubles.
    if (kind.reduces()) bytes_ = std::max<Bytes>(8, bytes / 8 * 8);
    if (operation == Operation::reduce_scatter_block)
        bytes_ = std::max<Bytes>(1, bytes_ / 8 / ranks_) * 8 * ranks_;
    if (operation == Operation::barrier) bytes_ = 0;
    // Counts and displacements of MPI's calls are int.
    if (bytes_ > std::numeric_limits<int>::max() / ranks_)
        throw Error(Code::usage, std::to_string(bytes) + " bytes are too many for " +
                                     std::to_string(ranks_) + " ranks: at most " +
                                     std::to_string(std::numeric_limits<int>::max() / ranks_));
    const Bytes elements = bytes_ / 8;
    const bool in_blocks = kind.blocks != Blocks::parts && !kind.reduces();
    const Bytes room = (in_blocks ? bytes_ * ranks_ : bytes_) / 8 + 1;
    input_.assign(at(room), 1.0);
    output_.assign(at(room), 0.0);
    for (int rank = 0; rank < ranks_; ++rank) {
        counts_.push_back(static_cast<int>(bytes_));
        places_.push_back(static_cast<int>(bytes_ * rank));
        element_counts_.push_back(
            static_cast<int>(elements * (rank + 1) / ranks_ - elements * rank / ranks_));
        types_.push_back(native().byte);
    }
}

Trial::~Trial() { communicator_->force(nullptr); }

namespace {

// Of one call.
struct Arguments {
    void *in, *out;
    int bytes, elements, ranks;
    const int *counts, *places, *element_counts;
    const MPI_Datatype* types;
    Rank root;
    MPI_Comm comm;
};

using MpiCall = int (*)(const Native& mpi, const Arguments&);

const std::map<Operation, MpiCall>& mpi_calls() {
    using enum Operation;
    static const std::map<Operation, MpiCall> calls{
        {bcast,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Bcast(a.in, a.bytes, mpi.byte, a.root, a.comm);
         }},
        {barrier, [](const Native& mpi, const Arguments& a) { return mpi.Barrier(a.comm); }},
        {scatter,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Scatter(a.in, a.bytes, mpi.byte, a.out, a.bytes, mpi.byte, a.root, a.comm);
         }},
        {scatterv,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Scatterv(a.in, a.counts, a.places, mpi.byte, a.out, a.bytes, mpi.byte,
                                 a.root, a.comm);
         }},
        {gather,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Gather(a.in, a.bytes, mpi.byte, a.out, a.bytes, mpi.byte, a.root, a.comm);
         }},
        {gatherv,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Gatherv(a.in, a.bytes, mpi.byte, a.out, a.counts, a.places, mpi.byte,
                                a.root, a.comm);
         }},
        {allgather,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Allgather(a.in, a.bytes, mpi.byte, a.out, a.bytes, mpi.byte, a.comm);
         }},
        {allgatherv,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Allgatherv(a.in, a.bytes, mpi.byte, a.out, a.counts, a.places, mpi.byte,
                                   a.comm);
         }},
        {alltoall,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Alltoall(a.in, a.bytes, mpi.byte, a.out, a.bytes, mpi.byte, a.comm);
         }},
        {alltoallv,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Alltoallv(a.in, a.counts, a.places, mpi.byte, a.out, a.counts, a.places,
                                  mpi.byte, a.comm);
         }},
        {alltoallw,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Alltoallw(a.in, a.counts, a.places, a.types, a.out, a.counts, a.places,
                                  a.types, a.comm);
         }},
        {reduce,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Reduce(a.in, a.out, a.elements, mpi.real64, mpi.sum, a.root, a.comm);
         }},
        {allreduce,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Allreduce(a.in, a.out, a.elements, mpi.real64, mpi.sum, a.comm);
         }},
        {scan,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Scan(a.in, a.out, a.elements, mpi.real64, mpi.sum, a.comm);
         }},
        {exscan,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Exscan(a.in, a.out, a.elements, mpi.real64, mpi.sum, a.comm);
         }},
        {reduce_scatter,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Reduce_scatter(a.in, a.out, a.element_counts, mpi.real64, mpi.sum, a.comm);
         }},
        {reduce_scatter_block,
         [](const Native& mpi, const Arguments& a) {
             return mpi.Reduce_scatter_block(a.in, a.out, a.elements / a.ranks, mpi.real64, mpi.sum,
                                             a.comm);
         }},
    };
    return calls;
}

// The library's functions, with ECO's in place of those that it takes: what a program calls that
// was started with ECO, but for the one jump of its symbols.
const Native& with_eco() {
    static const Native functions = [] {
        Native all = native();
#define ECO_COLLECTIVE(name, mpi, ...) all.mpi = &eco_##mpi;
#define ECO_OWN_COLLECTIVE(...)
#define ECO_COLLECTIVE_WITHOUT_COUNT ECO_COLLECTIVE
#include "eco/schedule/operations.def"
        return all;
    }();
    return functions;
}

}  // namespace

bool can_time(Operation operation) { return mpi_calls().contains(operation); }

bool Trial::supports(const Choice& choice) const {
    return eco::supports(choice, {operation_, &communicator_->hierarchy(), 0, true});
}

void Trial::use(const Choice& choice) {
    // Also what the call would find out by itself, which would count as its time.
    if (!choice.is_native() && !communicator_->ready(choice))
        throw Error(Code::environment,
                    choice.rails > 0 && !session()->rails.open
                        ? to_text(choice) + " needs rails, and these hosts have none"
                    : choice.is_mcast() && !session()->mcast.channel
                        ? to_text(choice) + " needs the network's multicast, which is not open"
                        : "the MPI library has no communicator left for timing");
    used_ = choice;
    communicator_->force(&used_);
}

void Trial::run_native(Rank root) { run(native(), root); }

void Trial::run(Rank root) { run(with_eco(), root); }

void Trial::run(const Native& mpi, Rank root) {
    const auto call = mpi_calls().find(operation_);
    if (call == mpi_calls().end())
        throw Error(Code::usage, std::string(traits(operation_).name) + " cannot be timed");
    check_mpi(
        call->second(mpi, {input_.data(), output_.data(), static_cast<int>(bytes_),
                           static_cast<int>(bytes_ / 8), ranks_, counts_.data(), places_.data(),
                           element_counts_.data(), types_.data(), root, comm_}));
}

Bytes Trial::known_bytes() const { return traits(operation_).size_known ? bytes_ : -1; }

std::vector<Seconds> slowest(const std::vector<Seconds>& own, MPI_Comm comm) {
    std::vector<Seconds> all(own.size());
    check_mpi(native().Allreduce(own.data(), all.data(), static_cast<int>(own.size()),
                                 native().real64, native().max, comm));
    return all;
}

Seconds median(std::vector<Seconds> samples) {
    std::sort(samples.begin(), samples.end());
    const std::size_t half = samples.size() / 2;
    return samples.size() % 2 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

// MPI libraries connect two ranks at their first message, which would be timed with whichever
// pattern comes first.
static void connect_all(MPI_Comm comm) {
    int rank = 0, ranks = 0;
    check_mpi(native().Comm_rank(comm, &rank));
    check_mpi(native().Comm_size(comm, &ranks));
    for (int step = 1; step < ranks; ++step) {
        MpiTransport transport(comm);
        transport.send(0, nullptr, 0, (rank + step) % ranks, 0);
        transport.recv(1, nullptr, 0, (rank - step + ranks) % ranks, 0);
        std::vector<int> ended;
        while (ended.size() < 2) transport.wait(ended);
    }
}

MPI_Comm ordered_world(const std::string& order) {
    const Native& mpi = native();
    const Communicator* world = communicator_of(mpi.comm_world);
    if (!world)
        throw Error(Code::launch,
                    "timing collectives needs two ranks or more, on hosts of the profile");
    const auto ranks = in_order(world->hierarchy().ring, order);
    const auto place = std::find(ranks.begin(), ranks.end(), world->rank()) - ranks.begin();
    MPI_Comm comm = mpi.comm_null;
    check_mpi(mpi.Comm_split(mpi.comm_world, 0, static_cast<int>(place), &comm));
    connect_all(comm);
    return comm;
}

}  // namespace eco
