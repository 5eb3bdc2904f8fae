// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/trial.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/job/persistent_calls.h"
#include "eco/measure/rank_order.h"
#include "eco/measure/trial_calls.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/planners/choice_text.h"

namespace eco {

Trial::Trial(Operation operation, Bytes bytes, MPI_Comm comm, CallForm form)
    : operation_(operation),
      form_(form),
      bytes_(bytes),
      comm_(comm),
      communicator_(communicator_of(comm)),
      request_(native().request_null) {
    if (!communicator_)
        throw Error(Code::launch,
                    "timing collectives needs two ranks or more, on hosts of the profile");
    if (!communicator_->ready())
        throw Error(Code::environment, "the MPI library has no communicator left for timing");
    ranks_ = communicator_->size();
    rank_ = communicator_->rank();
    if (form != CallForm::blocking) {
        communicator_->want_nonblocking();
        if (communicator_->wants_nonblocking()) communicator_->settle_nonblocking();
    }
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

bool can_time(Operation operation) { return trial_call(operation, CallForm::blocking) != nullptr; }

bool Trial::supports(const Choice& choice) const {
    if (form_ != CallForm::blocking &&
        !(communicator_->has_nonblocking() &&
          communicator_->can_progress(choice, form_ == CallForm::persistent)))
        return false;
    return eco::supports(choice, {operation_, &communicator_->hierarchy(), 0, true}, known_bytes());
}

Choice Trial::chosen() const {
    const Choice* choice = nullptr;
    if (form_ == CallForm::blocking)
        choice = communicator_->choose(operation_, known_bytes(), true);
    else if (communicator_->has_nonblocking())
        choice = communicator_->choose_nonblocking(operation_, known_bytes(), true,
                                                   form_ == CallForm::persistent);
    return choice ? *choice : Choice{};
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

void Trial::prepare(bool alone, Rank root) {
    if (form_ == CallForm::persistent) call(alone, root);
}

void Trial::run(bool alone, Rank root, const Work& work) {
    if (form_ == CallForm::persistent)
        check_mpi(start_request(&request_));
    else
        call(alone, root);
    if (form_ != CallForm::blocking) wait(alone ? native() : with_eco(), work);
}

void Trial::finish() {
    if (form_ == CallForm::persistent) check_mpi(free_request(&request_));
}

void Trial::call(bool alone, Rank root) {
    const TrialCall call = trial_call(operation_, form_);
    if (!call)
        throw Error(Code::usage, name_in_form(std::string(traits(operation_).name), form_) +
                                     " cannot be timed here");
    check_mpi(call(alone ? native() : with_eco(),
                   {input_.data(), output_.data(), static_cast<int>(bytes_),
                    static_cast<int>(bytes_ / 8), ranks_, counts_.data(), places_.data(),
                    element_counts_.data(), types_.data(), root, comm_, &request_}));
}

// Sleeps where a program computes: hosts of the lab share processors.
void Trial::wait(const Native& mpi, const Work& work) {
    using Clock = std::chrono::steady_clock;
    using Duration = std::chrono::duration<double>;
    const auto until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(Duration(work.time));
    int over = 0;
    while (work.between_tests > 0 && Clock::now() < until) {
        std::this_thread::sleep_for(Duration(work.between_tests));
        check_mpi(mpi.Test(&request_, &over, MPI_STATUS_IGNORE));
    }
    if (work.time > 0) std::this_thread::sleep_until(until);
    check_mpi(mpi.Wait(&request_, MPI_STATUS_IGNORE));
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

MPI_Comm ordered_world(const std::string& order, bool connects) {
    const Native& mpi = native();
    const Communicator* world = communicator_of(mpi.comm_world);
    if (!world)
        throw Error(Code::launch,
                    "timing collectives needs two ranks or more, on hosts of the profile");
    const auto ranks = in_order(world->hierarchy().ring, order);
    const auto place = std::find(ranks.begin(), ranks.end(), world->rank()) - ranks.begin();
    MPI_Comm comm = mpi.comm_null;
    check_mpi(mpi.Comm_split(mpi.comm_world, 0, static_cast<int>(place), &comm));
    if (connects) connect_all(comm);
    return comm;
}

}  // namespace eco
