// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/predict.h"

#include <algorithm>
#include <cmath>

#include "eco/planners/planner.h"
#include "eco/selection/candidates.h"
#include "eco/selection/variants.h"
#include "eco/simulate/simulate.h"

namespace eco {

namespace {

// So many rates take as long as a message: there are many to work out again where many flows share
// a link.
constexpr double rates_of_message = 20;

constexpr std::size_t most_roots = 3;
constexpr std::size_t forms_to_pace = 6;

// Schedules of one family whose times differ by less are the same, or as good as that.
constexpr double same = 2e-3;
// What predictions do not tell apart: they err by more. Then fewer messages are the safer choice,
// as each costs what a network's model knows least (magpie, MPICH, allreduce of 16 KiB in 24
// segments: predicted 4 % faster than in 12, measured 20 % slower).
constexpr double as_good = 1.05;
// What is so much slower than the best by prediction will not turn out the best.
constexpr double far_behind = 1.6;
// Other segments than these make too small a difference.
constexpr double other_pace = 1.5;

// The same but for segments.
bool same_form(Choice a, Choice b) {
    a.segments = b.segments = 0;
    return a == b;
}

bool same_kind(const Choice& a, const Choice& b) {
    return a.family() == b.family() && a.rotate() == b.rotate() && a.split() == b.split() &&
           a.on == b.on;
}

class Forecasting {
public:
    Forecasting(const Network& network, const std::vector<int>& host_of, const Request& request,
                Bytes bytes, const std::vector<Rank>& roots, double most_work)
        : network_(network),
          host_of_(host_of),
          request_(request),
          bytes_(bytes),
          roots_(roots),
          most_work_(most_work) {}

    Seconds quickest_baseline() {
        Seconds least = 0;
        for (const Choice& choice : baseline(request_)) {
            if (work(choice) > most_work_) continue;
            const Seconds time = mean_time(choice);
            if (least == 0 || time < least) least = time;
        }
        return least;
    }

    Seconds mean_time(const Choice& choice) {
        Seconds sum = 0;
        for (const Rank root : roots_) {
            Request request = request_;
            request.root = root;
            const Timeline timeline = simulate(network_, host_of_, choice, request, bytes_);
            spent_ += static_cast<double>(timeline.effort) / rates_of_message;
            sum += timeline.time;
        }
        return sum / static_cast<double>(roots_.size());
    }

    Forecast run(Seconds baseline) {
        Forecast found;
        found.baseline = baseline > 0 ? baseline : quickest_baseline();
        for (const Choice& choice : candidates(request_, bytes_)) consider(choice);
        const bool in_parts = traits(request_.operation).blocks == Blocks::parts;
        for (Choice choice : forms(request_, bytes_)) {
            consider(choice);
            if (!in_parts || choice.segments <= 1) continue;
            choice.segments = 1;
            if (supports(choice, request_)) consider(choice);
        }
        sort();
        for (const Choice& form : best_forms())
            for (const Choice& choice : paces(form, request_, bytes_)) consider(choice);
        sort();
        fewest_messages_first();
        found.choices = std::move(choices_);
        return found;
    }

private:
    double work(const Choice& choice) const { return work_of(choice, request_, roots_.size()); }

    bool affordable(const Choice& choice) {
        if (spent_ + work(choice) > most_work_) return false;
        spent_ += work(choice);
        return true;
    }

    void consider(const Choice& choice) {
        const bool known =
            std::any_of(choices_.begin(), choices_.end(),
                        [&](const Predicted& each) { return each.choice == choice; });
        if (known || !can_simulate(choice) || !affordable(choice)) return;
        choices_.push_back({choice, mean_time(choice)});
    }

    // Of times that are equal but for rounding, the fewest messages.
    void sort() {
        const auto key = [this](const Predicted& each) {
            return std::pair{std::llround(each.time * 1e10), messages_of(each.choice, request_)};
        };
        std::stable_sort(choices_.begin(), choices_.end(),
                         [&](const Predicted& a, const Predicted& b) { return key(a) < key(b); });
    }

    // Of what is as good as the best.
    void fewest_messages_first() {
        if (choices_.empty()) return;
        const Seconds limit = as_good * choices_.front().time;
        const auto worse = std::find_if(choices_.begin(), choices_.end(),
                                        [&](const Predicted& each) { return each.time > limit; });
        const auto fewest = std::min_element(
            choices_.begin(), worse, [this](const Predicted& a, const Predicted& b) {
                return messages_of(a.choice, request_) < messages_of(b.choice, request_);
            });
        std::rotate(choices_.begin(), fewest, fewest + 1);
    }

    std::vector<Choice> best_forms() const {
        std::vector<Choice> best;
        for (const Predicted& each : choices_) {
            if (best.size() == forms_to_pace) break;
            if (std::none_of(best.begin(), best.end(),
                             [&](const Choice& form) { return same_form(form, each.choice); }))
                best.push_back(each.choice);
        }
        return best;
    }

    const Network& network_;
    const std::vector<int>& host_of_;
    const Request& request_;
    Bytes bytes_;
    const std::vector<Rank>& roots_;
    const double most_work_;
    std::vector<Predicted> choices_;
    double spent_ = 0;
};

}  // namespace

// Every rank's program is planned, for which each looks at all ranks.
double work_of(const Choice& choice, const Request& request, std::size_t roots) {
    const double ranks = request.ranks();
    return static_cast<double>(roots) *
           (messages_of(choice, request) +
            ranks * ranks / 16 * (choice.rotates() ? segments_of(choice) : 1));
}

Forecast forecast(const Network& network, const std::vector<int>& host_of, const Request& request,
                  Bytes bytes, const std::vector<Rank>& roots, double most_work, Seconds baseline) {
    return Forecasting(network, host_of, request, bytes, roots, most_work).run(baseline);
}

Seconds forecast_baseline(const Network& network, const std::vector<int>& host_of,
                          const Request& request, Bytes bytes, const std::vector<Rank>& roots,
                          double most_work) {
    return Forecasting(network, host_of, request, bytes, roots, most_work).quickest_baseline();
}

Seconds forecast_choice(const Network& network, const std::vector<int>& host_of,
                        const Choice& choice, const Request& request, Bytes bytes,
                        const std::vector<Rank>& roots) {
    return Forecasting(network, host_of, request, bytes, roots, work_of_forecast).mean_time(choice);
}

bool follows_network(const Choice& choice, const Request& request) {
    if (has_rules(request, {Rules::prefix})) return false;
    if (choice.family() == Family::butterfly) return false;
    // Each rank of a star has to do with the root alone.
    const bool is_star = choice.family() == Family::tree && choice.inner() == Form{} &&
                         traits(request.operation).rooted();
    return choice.on != On::ranks || is_star;
}

std::vector<Rank> representative_roots(const Hierarchy& hierarchy, Operation operation) {
    if (!traits(operation).rooted()) return {0};
    const auto& parts = hierarchy.top.parts;
    if (parts.size() < 2) return {hierarchy.top.first()};
    const std::size_t count = std::min(most_roots, parts.size());
    std::vector<Rank> roots;
    for (std::size_t i = 0; i < count; ++i)
        roots.push_back(parts[i * (parts.size() - 1) / (count - 1)].ranks.front());
    return roots;
}

std::vector<Predicted> shortlist(const Forecast& forecast, std::size_t count) {
    std::vector<Predicted> list;
    for (const Predicted& each : forecast.choices) {
        if (list.size() == count) break;
        if (list.size() > 1 && each.time > far_behind * forecast.choices.front().time) break;
        int of_form = 0;
        bool near = false;
        for (const auto& [taken, time] : list) {
            near = near || (same_kind(taken, each.choice) && each.time < time * (1 + same));
            if (!same_form(taken, each.choice)) continue;
            ++of_form;
            const double a = std::max(1, taken.segments), b = std::max(1, each.choice.segments);
            near = near || std::max(a, b) < other_pace * std::min(a, b);
        }
        if (of_form < 2 && !near) list.push_back(each);
    }
    return list;
}

}  // namespace eco
