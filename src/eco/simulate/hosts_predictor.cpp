// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/hosts_predictor.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <tuple>

#include "eco/base/recent.h"
#include "eco/planners/planner.h"
#include "eco/simulate/predict.h"
#include "eco/simulate/simulate.h"

namespace eco {

namespace {

// What a simulated message takes, about; and the most that are simulated for one answer, half a
// second: 6 hosts need 5,000 to 40,000 for all candidates.
constexpr Seconds time_of_message = 4e-6;
constexpr double most_work = 1.2e5;
// In calls by prediction. A program that calls less often loses by a better choice what finding it
// took.
constexpr double calls_that_pay = 100;

constexpr std::size_t most_kept = 256;

using Question = std::tuple<Operation, Bytes, bool, std::string, std::vector<int>>;

}  // namespace

struct HostsPredictor::Known {
    std::mutex mutex;
    Recent<Question, std::optional<PredictedHere>> answers{most_kept};
};

HostsPredictor::HostsPredictor(std::function<const Network*()> network)
    : network_(std::move(network)), known_(std::make_unique<Known>()) {}

HostsPredictor::~HostsPredictor() = default;

static std::optional<PredictedHere> simulated(const Network& network, Request request, Bytes bytes,
                                              const Choice& elsewhere) {
    const Hierarchy& hierarchy = *request.hierarchy;
    const auto roots = representative_roots(hierarchy, request.operation);
    const auto& host_of = hierarchy.host_of;
    PredictedHere found;
    found.bytes = bytes;
    found.baseline = forecast_baseline(network, host_of, request, bytes, roots, most_work);
    if (found.baseline <= 0) return std::nullopt;
    const double work = std::min(most_work, calls_that_pay * found.baseline / time_of_message);
    const Forecast forecasted = forecast(network, host_of, request, bytes, roots, work);
    if (forecasted.choices.empty()) return std::nullopt;
    found.best = forecasted.choices.front().choice;
    found.time = forecasted.choices.front().time;
    if (!can_simulate(elsewhere) || !supports(elsewhere, request, bytes)) return found;
    for (const Rank root : roots) {
        request.root = root;
        found.elsewhere += simulate(network, host_of, elsewhere, request, bytes).time /
                           static_cast<double>(roots.size());
    }
    return found;
}

std::optional<PredictedHere> HostsPredictor::predict(const Request& request, Bytes bytes,
                                                     const Choice& elsewhere) const {
    const std::vector<int>& host_of = request.hierarchy->host_of;
    if (host_of.empty()) return std::nullopt;
    Request plain = request;
    plain.operation = traits(request.operation).base;  // schedules of v forms are the same
    if (plain.operation == Operation::barrier) bytes = 0;
    const std::lock_guard lock(known_->mutex);
    const Network* network = network_();
    if (!network || network->assumed) return std::nullopt;
    const Question question(plain.operation, bytes, request.commutative, to_text(elsewhere),
                            host_of);
    if (const auto* answer = known_->answers.find(question)) return *answer;
    // What goes over rails is timed whatever is predicted.
    Hierarchy hierarchy = *request.hierarchy;
    hierarchy.rails = 0;
    plain.hierarchy = &hierarchy;
    return known_->answers.put(question, simulated(*network, plain, bytes, elsewhere));
}

}  // namespace eco
