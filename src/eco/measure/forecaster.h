// SPDX-License-Identifier: BSD-3-Clause
// Predictions by the model: for the calls that tuning is to time, so that only the best few are
// timed, and for those that it does not time. The ranks of the job share the work, and all get the
// same answers.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "eco/measure/protocol.h"
#include "eco/simulate/predict.h"
#include "eco/topology/profile.h"

namespace eco {

struct Question {
    Operation operation =
        Operation::bcast;  // size known to all ranks; v forms stand for the others
    Bytes bytes = 0;
    std::vector<int> host_of;
    auto operator<=>(const Question&) const = default;
};

class Forecaster {
public:
    using Clock = std::chrono::steady_clock;

    // Knows nothing if the profile has no measured model.
    explicit Forecaster(const Profile& profile);

    bool knows() const;

    // Collective over MPI_COMM_WORLD; all ranks ask the same. What was answered before costs
    // nothing. In the order given, but those of several ranks on a host later, shorter messages
    // first, and all-to-alls last; no more of them once rank 0's clock says `until`. show: called
    // with the share that is done.
    void answer(
        std::vector<Question> questions, Clock::time_point until = Clock::time_point::max(),
        const std::function<void(double)>& show = [](double) {});

    // The few best that differ; null: not asked, or it would have taken too long.
    const Forecast* find(Question question) const;

    // Entries for a profile that say what is best for each usual operation and size, by prediction
    // alone: near and scattered, one rank on each host and several. Collective. Empty on a network
    // of one subnet, where the library does well.
    std::vector<Tuned> entries(Progress& progress,
                               Clock::time_point until = Clock::time_point::max());

private:
    void answer_all(const std::vector<Question>& questions, int rank, int ranks);
    Forecast work_out(const Question& question);
    // The same of ranks in ring order.
    Question in_ring_order(Question question) const;

    const Profile& profile_;
    std::optional<Network> network_;  // once this rank works something out
    std::map<Question, Forecast> known_;
};

}  // namespace eco
