#include "eco/probe/trial.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/interpose/mpi_transport.h"
#include "eco/probe/order.h"

namespace eco {

static std::size_t at(Bytes index) { return static_cast<std::size_t>(index); }

Trial::Trial(Operation operation, Bytes bytes, MPI_Comm comm)
    : operation_(operation), bytes_(bytes), comm_(comm), communicator_(communicator_of(comm)) {
    if (!communicator_)
        throw Error(Code::launch,
                    "timing collectives needs two ranks or more, on hosts of the profile");
    if (!communicator_->ready())
        throw Error(Code::environment, "the MPI library has no communicator left to time with");
    ranks_ = communicator_->size();
    rank_ = communicator_->rank();
    const auto& kind = traits(operation);
    // Reductions are of doubles.
    if (kind.reduces) bytes_ = std::max<Bytes>(8, bytes / 8 * 8);
    if (operation == Operation::reduce_scatter_block)
        bytes_ = std::max<Bytes>(1, bytes_ / 8 / ranks_) * 8 * ranks_;
    if (operation == Operation::barrier) bytes_ = 0;
    // Counts and displacements of MPI's calls are int.
    if (bytes_ > std::numeric_limits<int>::max() / ranks_)
        throw Error(Code::usage, std::to_string(bytes) + " bytes are too many for " +
                                     std::to_string(ranks_) + " ranks: at most " +
                                     std::to_string(std::numeric_limits<int>::max() / ranks_));
    const Bytes elements = bytes_ / 8;
    const bool in_blocks = kind.blocks != Blocks::parts && !kind.reduces;
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
    layout_.unit = kind.reduces ? 8 : 1;
    if (in_blocks) {
        const int ranks = ranks_;
        const auto length = bytes_;
        const bool own_only =
            base(operation) == Operation::allgather || base(operation) == Operation::gather;
        const bool pairs = kind.blocks == Blocks::per_pair;
        const bool one_out = base(operation) == Operation::scatter;
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

void Trial::run_native(Rank root) {
    using enum Operation;
    const Native& mpi = native();
    const auto byte = mpi.byte, real = mpi.real64;
    const int n = static_cast<int>(bytes_), elements = static_cast<int>(bytes_ / 8);
    void *in = input_.data(), *out = output_.data();
    const int *c = counts_.data(), *d = places_.data();
    int code = MPI_SUCCESS;
    switch (operation_) {
        case bcast:
            code = mpi.Bcast(in, n, byte, root, comm_);
            break;
        case barrier:
            code = mpi.Barrier(comm_);
            break;
        case scatter:
            code = mpi.Scatter(in, n, byte, out, n, byte, root, comm_);
            break;
        case scatterv:
            code = mpi.Scatterv(in, c, d, byte, out, n, byte, root, comm_);
            break;
        case gather:
            code = mpi.Gather(in, n, byte, out, n, byte, root, comm_);
            break;
        case gatherv:
            code = mpi.Gatherv(in, n, byte, out, c, d, byte, root, comm_);
            break;
        case allgather:
            code = mpi.Allgather(in, n, byte, out, n, byte, comm_);
            break;
        case allgatherv:
            code = mpi.Allgatherv(in, n, byte, out, c, d, byte, comm_);
            break;
        case alltoall:
            code = mpi.Alltoall(in, n, byte, out, n, byte, comm_);
            break;
        case alltoallv:
            code = mpi.Alltoallv(in, c, d, byte, out, c, d, byte, comm_);
            break;
        case alltoallw:
            code = mpi.Alltoallw(in, c, d, types_.data(), out, c, d, types_.data(), comm_);
            break;
        case reduce:
            code = mpi.Reduce(in, out, elements, real, mpi.sum, root, comm_);
            break;
        case allreduce:
            code = mpi.Allreduce(in, out, elements, real, mpi.sum, comm_);
            break;
        case scan:
            code = mpi.Scan(in, out, elements, real, mpi.sum, comm_);
            break;
        case exscan:
            code = mpi.Exscan(in, out, elements, real, mpi.sum, comm_);
            break;
        case reduce_scatter:
            code = mpi.Reduce_scatter(in, out, element_counts_.data(), real, mpi.sum, comm_);
            break;
        case reduce_scatter_block:
            code = mpi.Reduce_scatter_block(in, out, elements / ranks_, real, mpi.sum, comm_);
            break;
        case multicast:
        case neighbor_allgather:
        case neighbor_allgatherv:
            ECO_CHECK(false);  // their names cannot be given
            break;
    }
    check_mpi(code);
}

bool Trial::supports(const Choice& choice) const {
    return eco::supports(choice, {operation_, &communicator_->hierarchy(), 0, true});
}

void Trial::run(const Choice& choice, Rank root) {
    const Request request{operation_, &communicator_->hierarchy(),
                          traits(operation_).rooted ? root : 0, true};
    if (!communicator_->ready(choice))
        throw Error(Code::environment,
                    choice.rails > 0 && !session()->rails.open
                        ? to_text(choice) + " needs rails, and these hosts have none"
                        : "the MPI library has no communicator left to time with");
    const Reduction reduction{native().real64, native().sum, 8, 0};
    const Prepared& prepared = communicator_->prepared(choice, request);
    if (base(operation_) != operation_ && !traits(operation_).size_known &&
        traits(operation_).rooted && passes_blocks_on(choice, communicator_->hierarchy())) {
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
