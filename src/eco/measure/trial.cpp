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
    layout_.input = bytes_at(input_.data());
    layout_.output = operation == Operation::bcast ? layout_.input : bytes_at(output_.data());
    layout_.whole = bytes_;
    layout_.unit = kind.reduces() ? 8 : 1;
    if (in_blocks) {
        const int ranks = ranks_;
        const auto length = bytes_;
        const bool pairs = kind.blocks == Blocks::per_pair;
        const bool own_only = !pairs && kind.begins == Begins::own;
        const bool one_out = !pairs && kind.ends == Ends::own;
        layout_.length = [length](int) { return length; };
        layout_.input_offset = [=](int block) { return own_only ? 0 : length * (block % ranks); };
        layout_.output_offset = [=](int block) {
            return one_out ? 0 : length * (pairs ? block / ranks : block);
        };
    } else if (kind.blocks == Blocks::per_rank) {
        layout_.length = [this](int block) { return Bytes{8} * element_counts_[at(block)]; };
        layout_.input_offset = [elements, this](int block) {
            return elements * block / ranks_ * 8;
        };
        layout_.output_offset = [](int) { return Bytes{0}; };
    }
    combine_ = [](std::byte* to, std::byte* from, Bytes length, bool) {
        check_mpi(native().Reduce_local(from, to, static_cast<int>(length / 8), native().real64,
                                        native().sum));
    };
}

namespace {

// Of one call of the library's own.
struct Arguments {
    void *in, *out;
    int bytes, elements, ranks;
    const int *counts, *places, *element_counts;
    const MPI_Datatype* types;
    Rank root;
    MPI_Comm comm;
};

using NativeCall = int (*)(const Arguments&);

const std::map<Operation, NativeCall>& native_calls() {
    using enum Operation;
    static const std::map<Operation, NativeCall> calls{
        {bcast,
         [](const Arguments& a) {
             return native().Bcast(a.in, a.bytes, native().byte, a.root, a.comm);
         }},
        {barrier, [](const Arguments& a) { return native().Barrier(a.comm); }},
        {scatter,
         [](const Arguments& a) {
             return native().Scatter(a.in, a.bytes, native().byte, a.out, a.bytes, native().byte,
                                     a.root, a.comm);
         }},
        {scatterv,
         [](const Arguments& a) {
             return native().Scatterv(a.in, a.counts, a.places, native().byte, a.out, a.bytes,
                                      native().byte, a.root, a.comm);
         }},
        {gather,
         [](const Arguments& a) {
             return native().Gather(a.in, a.bytes, native().byte, a.out, a.bytes, native().byte,
                                    a.root, a.comm);
         }},
        {gatherv,
         [](const Arguments& a) {
             return native().Gatherv(a.in, a.bytes, native().byte, a.out, a.counts, a.places,
                                     native().byte, a.root, a.comm);
         }},
        {allgather,
         [](const Arguments& a) {
             return native().Allgather(a.in, a.bytes, native().byte, a.out, a.bytes, native().byte,
                                       a.comm);
         }},
        {allgatherv,
         [](const Arguments& a) {
             return native().Allgatherv(a.in, a.bytes, native().byte, a.out, a.counts, a.places,
                                        native().byte, a.comm);
         }},
        {alltoall,
         [](const Arguments& a) {
             return native().Alltoall(a.in, a.bytes, native().byte, a.out, a.bytes, native().byte,
                                      a.comm);
         }},
        {alltoallv,
         [](const Arguments& a) {
             return native().Alltoallv(a.in, a.counts, a.places, native().byte, a.out, a.counts,
                                       a.places, native().byte, a.comm);
         }},
        {alltoallw,
         [](const Arguments& a) {
             return native().Alltoallw(a.in, a.counts, a.places, a.types, a.out, a.counts, a.places,
                                       a.types, a.comm);
         }},
        {reduce,
         [](const Arguments& a) {
             return native().Reduce(a.in, a.out, a.elements, native().real64, native().sum, a.root,
                                    a.comm);
         }},
        {allreduce,
         [](const Arguments& a) {
             return native().Allreduce(a.in, a.out, a.elements, native().real64, native().sum,
                                       a.comm);
         }},
        {scan,
         [](const Arguments& a) {
             return native().Scan(a.in, a.out, a.elements, native().real64, native().sum, a.comm);
         }},
        {exscan,
         [](const Arguments& a) {
             return native().Exscan(a.in, a.out, a.elements, native().real64, native().sum, a.comm);
         }},
        {reduce_scatter,
         [](const Arguments& a) {
             return native().Reduce_scatter(a.in, a.out, a.element_counts, native().real64,
                                            native().sum, a.comm);
         }},
        {reduce_scatter_block,
         [](const Arguments& a) {
             return native().Reduce_scatter_block(a.in, a.out, a.elements / a.ranks,
                                                  native().real64, native().sum, a.comm);
         }},
    };
    return calls;
}

}  // namespace

bool can_time(Operation operation) { return native_calls().contains(operation); }

void Trial::run_native(Rank root) {
    const auto call = native_calls().find(operation_);
    if (call == native_calls().end())
        throw Error(Code::usage, std::string(traits(operation_).name) + " cannot be timed");
    check_mpi(call->second({input_.data(), output_.data(), static_cast<int>(bytes_),
                            static_cast<int>(bytes_ / 8), ranks_, counts_.data(), places_.data(),
                            element_counts_.data(), types_.data(), root, comm_}));
}

bool Trial::supports(const Choice& choice) const {
    return eco::supports(choice, {operation_, &communicator_->hierarchy(), 0, true});
}

void Trial::run(const Choice& choice, Rank root) {
    const Request request{operation_, &communicator_->hierarchy(),
                          traits(operation_).rooted() ? root : 0, true};
    if (!communicator_->ready(choice))
        throw Error(Code::environment,
                    choice.rails > 0 && !session()->rails.open
                        ? to_text(choice) + " needs rails, and these hosts have none"
                        : "the MPI library has no communicator left for timing");
    const Reduction reduction{native().real64, native().sum, 8, 0};
    const Prepared& prepared = communicator_->prepared(choice, request);
    if (base(operation_) != operation_ && !traits(operation_).size_known &&
        traits(operation_).rooted() && passes_blocks_on(choice, communicator_->hierarchy())) {
        // As the wrapper does: lengths go first.
        LengthsAhead ahead(std::vector<Bytes>(at(ranks_), bytes_), prepared.segments());
        communicator_->run(choice, prepared, ahead.layout(), combine_, reduction);
    }
    communicator_->run(choice, prepared, layout_, combine_, reduction);
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
