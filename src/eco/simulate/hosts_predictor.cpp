// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/hosts_predictor.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <tuple>

#include "eco/base/recent.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/simulate/predict.h"
#include "eco/simulate/simulate.h"
#include "eco/topology/mcast_rates.h"

namespace eco {

namespace {

// What a simulated message takes, about; and the most that are simulated for the candidates of one
// answer, of which 6 hosts need 5,000 to 40,000; as many for what was timed elsewhere, and for all
// topology-unaware schedules.
constexpr Seconds time_of_message = 4e-6;
constexpr double most_work = 6e4, most_work_of_baseline = 1.5e4;
// In calls by prediction. A program that calls less often loses by a better choice what finding it
// took.
constexpr double calls_that_pay = 100;

constexpr std::size_t most_kept = 256;

using Question =
    std::tuple<Operation, Bytes, bool, bool, std::string, std::string, std::vector<int>>;

}  // namespace

struct HostsPredictor::Known {
    std::mutex mutex;
    Recent<Question, std::optional<PredictedHere>> answers{most_kept};
    std::optional<Network> with_multicast;
};

HostsPredictor::HostsPredictor(std::function<const Network*()> network, const Profile& profile)
    : network_(std::move(network)),
      levels_(profile.levels),
      mcast_(profile.mcast),
      known_(std::make_unique<Known>()) {}

HostsPredictor::~HostsPredictor() = default;

static std::optional<PredictedHere> simulated(const Network& network, const Request& request,
                                              Bytes bytes, const Choice& elsewhere) {
    const Hierarchy& hierarchy = *request.hierarchy;
    const auto roots = representative_roots(hierarchy, request.operation);
    const auto& host_of = hierarchy.host_of;
    PredictedHere found;
    found.bytes = bytes;
    found.baseline =
        forecast_baseline(network, host_of, request, bytes, roots, most_work_of_baseline);
    if (found.baseline <= 0) return std::nullopt;
    const double work = std::min(most_work, calls_that_pay * found.baseline / time_of_message);
    const Forecast forecasted =
        forecast(network, host_of, request, bytes, roots, work, found.baseline);
    if (forecasted.choices.empty()) return std::nullopt;
    found.best = forecasted.choices.front().choice;
    found.time = forecasted.choices.front().time;
    if (!can_simulate(elsewhere) || !supports(elsewhere, request, bytes)) return found;
    // Without it nothing could be said of what is known best.
    if (work_of(elsewhere, request, roots.size()) > most_work) return std::nullopt;
    found.elsewhere = forecast_choice(network, host_of, elsewhere, request, bytes, roots);
    return found;
}

std::optional<PredictedHere> HostsPredictor::predict(const Request& request, Bytes bytes,
                                                     const Choice& elsewhere,
                                                     bool may_mcast) const {
    const std::vector<int>& host_of = request.hierarchy->host_of;
    if (host_of.empty()) return std::nullopt;
    Request plain = request;
    plain.operation = traits(request.operation).base;  // schedules of v forms are the same
    if (plain.operation == Operation::barrier) bytes = 0;
    const std::lock_guard lock(known_->mutex);
    const Network* network = network_();
    if (!network || network->assumed) return std::nullopt;
    const Question question(plain.operation, bytes, request.commutative, may_mcast,
                            to_text(elsewhere), describe(request.hierarchy->top), host_of);
    if (const auto* answer = known_->answers.find(question)) return *answer;
    // What goes over rails is timed whatever is predicted.
    Hierarchy hierarchy = *request.hierarchy;
    hierarchy.rails = 0;
    plain.hierarchy = &hierarchy;
    if (!may_mcast) {
        clear_mcast_rates(hierarchy);
    } else if (mcast_ && traits(plain.operation).reduces()) {
        set_mcast_rates(hierarchy, *mcast_, levels_);
        network = for_reductions(*network);
    }
    return known_->answers.put(question, simulated(*network, plain, bytes, elsewhere));
}

// The same with what multicast reaches by the profile.
const Network* HostsPredictor::for_reductions(const Network& network) const {
    if (!network.mcasts.empty()) return &network;
    auto& known = known_->with_multicast;
    if (!known) {
        known = network;
        known->mcasts = mcast_reaches(*mcast_, levels_);
    }
    return &*known;
}

}  // namespace eco
