// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/survey.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "eco/base/at.h"
#include "eco/survey/survey_level.h"

namespace eco {

namespace {

// Where hosts are few, so many second visits are affordable and one pair matters more.
constexpr double least_again = 256;

// The nearest pairs, and so often again, show how much visits are disturbed.
constexpr std::size_t pairs_again = 13;
constexpr int times_again = 4;

class Surveying {
public:
    Surveying(const std::vector<std::vector<int>>& orders, Prober& prober,
              const SurveySettings& settings, Timings known, const OnVisits& on_visits)
        : orders_(orders),
          prober_(prober),
          settings_(settings),
          on_visits_(on_visits),
          hosts_(known.hosts()),
          random_(settings.seed) {
        survey_.timings = std::move(known);
    }

    Survey run() {
        if (hosts_ <= few_hosts)
            time_all();
        else
            find_clusters();
        survey_.levels = find_levels(survey_.timings, settings_.tolerance, settings_.look);
        survey_.not_compared = not_compared();
        return std::move(survey_);
    }

private:
    std::vector<std::vector<Seconds>> time(const std::vector<HostPair>& pairs,
                                           const std::string& why) {
        if (on_visits_) on_visits_(pairs.size(), why);
        auto samples = prober_.time(pairs, settings_.bytes);
        for (std::size_t i = 0; i < pairs.size(); ++i) survey_.timings.add(pairs[i], samples[i]);
        survey_.visits += pairs.size();
        return samples;
    }

    void time_all() {
        std::vector<HostPair> pairs;
        for (int a = 0; a < hosts_; ++a)
            for (int b = a + 1; b < hosts_; ++b)
                if (!survey_.timings.has(a, b)) pairs.emplace_back(a, b);
        if (!pairs.empty()) time(pairs, "all pairs");
    }

    // In rounds, so that the visits of a pair lie apart.
    void observe_disturbance() {
        std::vector<const Timings::Entry*> nearest;
        for (const auto& entry : survey_.timings.entries()) nearest.push_back(&entry);
        std::stable_sort(nearest.begin(), nearest.end(),
                         [](auto x, auto y) { return x->least() < y->least(); });
        nearest.resize(std::min(nearest.size(), pairs_again));
        std::vector<HostPair> pairs;
        std::vector<std::vector<Seconds>> least_of_visits;
        for (const auto* entry : nearest) {
            pairs.emplace_back(entry->a, entry->b);
            least_of_visits.push_back({entry->least()});
        }
        for (int round = 0; round < times_again && !pairs.empty(); ++round) {
            const auto samples = time(pairs, "how much visits are disturbed");
            for (std::size_t i = 0; i < pairs.size(); ++i)
                least_of_visits[i].push_back(least_of(samples[i]));
        }
        for (const auto& least : least_of_visits) disturbance_.add(least);
    }

    // As find_levels goes from hosts to ever wider clusters.
    void find_clusters() {
        survey_.checks = settings_.checks;
        std::vector<int> vertex_of(at(hosts_)), subnet_of;
        std::iota(vertex_of.begin(), vertex_of.end(), 0);
        double again = std::max(least_again, settings_.again_per_host * hosts_);
        double disturbed = settings_.disturbed_per_host * hosts_;
        while (true) {
            double allowance = settings_.comparisons_per_host * hosts_;
            SurveyLevel level(vertex_of, subnet_of, orders_.front(), survey_.timings, settings_,
                              disturbance_, {allowance, again, disturbed}, random_);
            const int vertices = count_of(vertex_of);
            for (const auto& order : orders_) {
                const auto pairs = level.neighbours(order);
                if (!pairs.empty()) time(pairs, "neighbours");
            }
            if (vertices == hosts_) observe_disturbance();
            if (const auto pairs = level.lone_hosts(); !pairs.empty())
                time(pairs, "hosts that are alone");
            std::string why;
            for (auto pairs = level.next(why); !pairs.empty(); pairs = level.next(why))
                time(pairs, why);
            std::vector<int> wider;
            for (const int vertex : vertex_of) wider.push_back(level.cluster()[at(vertex)]);
            const int clusters = count_of(wider);
            vertex_of = std::move(wider);
            if (clusters == vertices || clusters <= 1) return;
            if (vertices < hosts_) continue;
            subnet_of = vertex_of;
            // Subnets may have taken all that was there; the wider levels have few vertices.
            again = std::max(again, settings_.again_per_host * hosts_ / 2);
        }
    }

    double not_compared() const {
        const auto& subnet = survey_.levels.back();
        const double subnets = count_of(subnet);
        if (subnets < 2) return 0;
        const auto compared = static_cast<double>(edges_between(survey_.timings, subnet).size());
        return 1 - compared / (subnets * (subnets - 1) / 2);
    }

    const std::vector<std::vector<int>>& orders_;
    Prober& prober_;
    const SurveySettings& settings_;
    const OnVisits& on_visits_;
    int hosts_;
    std::mt19937 random_;
    Disturbance disturbance_;
    Survey survey_;
};

}  // namespace

Levels find_levels(const Timings& timings, double tolerance, Seconds look) {
    std::vector<int> vertex(at(timings.hosts()));
    std::iota(vertex.begin(), vertex.end(), 0);
    Levels levels;
    while (true) {
        const int vertices = count_of(vertex);
        const auto merged = partition(vertices, edges_between(timings, vertex), tolerance, look);
        const int clusters = count_of(merged);
        if (!levels.empty() && (clusters == vertices || clusters == 1)) return levels;
        for (int& each : vertex) each = merged[at(each)];
        levels.insert(levels.begin(), vertex);
        if (clusters <= 1) return levels;
    }
}

Survey survey(const std::vector<std::vector<int>>& orders, Prober& prober,
              const SurveySettings& settings, Timings known, const OnVisits& on_visits) {
    return Surveying(orders, prober, settings, std::move(known), on_visits).run();
}

}  // namespace eco
