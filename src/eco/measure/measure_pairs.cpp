// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_pairs.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/measure/keep_pairs.h"
#include "eco/measure/pair_samples.h"
#include "eco/measure/pair_visits.h"
#include "eco/measure/since.h"
#include "eco/survey/disturbance.h"
#include "eco/survey/fill.h"
#include "eco/survey/revisit.h"
#include "eco/survey/slow_for_long.h"
#include "eco/survey/survey.h"

namespace eco {

namespace {

// Of pairs that are not clear; near ones take milliseconds.
constexpr int most_times_again = 10;
constexpr Seconds longest_again = 3;
constexpr int most_times_slow = 5;
// Before the first of these; twice as long before each next one.
constexpr std::chrono::milliseconds pause_before_slow{16};
// And of those of hosts that are alone in their subnet: few, and much hangs on them.
constexpr int most_times_lone = 60;
constexpr Seconds longest_lone = 6;

// Whether pairs at once disturb each other is tried on so many.
constexpr std::size_t least_at_once = 4, tried_alone = 6, times_tried = 2;
// Repeats after the first take so much of the time that is left at most.
constexpr double for_repeats = 0.5;
// With fewer hosts it does not matter.
constexpr int hosts_worth_trying = 32;

// Pairs that are very far.
constexpr std::size_t far_at_once = 4;

// Of one host in a survey, by experience: to guess how long it takes.
constexpr double usual_visits = 12;

class PairProber : public Prober {
public:
    PairProber(Profile& profile, std::optional<Surveyed>& surveyed, int known,
               const std::string& kept, const std::vector<int>& leader, const WorkerPool& workers,
               Seconds most, const ShowLeft& show)
        : profile_(profile),
          surveyed_(surveyed),
          most_(for_repeats * most),
          show_(show),
          visits_(profile, samples_, leader, workers) {
        const int hosts = static_cast<int>(profile.hosts.size());
        for (std::size_t size = 0; size < profile.sizes.size(); ++size) take_over(size, known);
        for (int a = 0; a < hosts; ++a)
            for (int b = a + 1; b < hosts; ++b)
                if (!samples_.sizes_without({a, b}).empty()) pairs_.emplace_back(a, b);
        keep_.take_up(kept, pairs_.size());
    }

    // every_size: else of pairs that are very far only some with long messages.
    void time_all(bool every_size, Seconds look) {
        for (int repeat = 0; repeat < profile_.repeats; ++repeat) {
            if (repeat > 0 && since(start_) + another_repeat() > most_) {
                profile_.repeats = repeat;
                break;
            }
            const SizesOf sizes = every_size ? samples_.sizes_of(repeat) : short_if_far(repeat);
            std::vector<HostPair> far;
            for (auto& row : rows_by_clock(pairs_without(sizes))) {
                if (!every_size) move_very_far(row, far);
                if (row.empty()) continue;
                show_(left(repeat, sizes, row, !every_size),
                      profile_.hosts[at(row.front().first)] + " and others");
                const auto start = Clock::now();
                record(visits_.of(row, sizes));
                if (repeat == 0) {
                    first_time_ += since(start);
                    first_pairs_ += row.size();
                }
            }
            time_very_far(std::move(far), sizes);
        }
        keep_.tell(true);
        surveyed_.reset();
        fill_in({});
        time_unclear();
        derive_topology(profile_, profile_.repeats, look);
        if (pairs_without([this](HostPair pair) { return samples_.sizes_without(pair); }).empty()) {
            time_slow_again({});
            return;
        }
        surveyed_.emplace();
        time_all_sizes(profile_.levels);
        fill_in(profile_.levels);
        note_measured();
        time_slow_again(profile_.levels);
    }

    void time_some(const std::vector<Hint>& hints, Seconds look) {
        SurveySettings settings;
        settings.bytes = profile_.partition_bytes;
        settings.tolerance = profile_.tolerance;
        settings.look = look;
        const Survey found = survey(likely_orders(hints), *this, settings, samples_.of_partition(),
                                    [this](std::size_t, const auto& why) { what_ = why; });
        samples_.of_partition() = found.timings;
        time_all_sizes(found.levels);
        auto& surveyed = surveyed_.emplace();
        surveyed.checks = found.checks;
        surveyed.not_compared = found.not_compared;
        fill_in(found.levels);
        // Clusters that are one after all, or not one: others are beside each other now.
        derive_topology(profile_, 1, look);
        if (profile_.levels != found.levels) {
            time_all_sizes(profile_.levels);
            fill_in(profile_.levels);
        }
        note_measured();
        time_slow_again(profile_.levels);
    }

    // Of the survey.
    std::vector<std::vector<Seconds>> time(const std::vector<HostPair>& pairs, Bytes) override {
        std::vector<std::vector<Seconds>> found(pairs.size());
        if (!tried_ && samples_.hosts() >= hosts_worth_trying) try_at_once(pairs);
        const auto parts = disjoint_parts(pairs, samples_.hosts(), at_once_);
        for (const auto& part : parts) {
            const auto start = Clock::now();
            std::vector<HostPair> now;
            for (const std::size_t i : part) now.push_back(pairs[i]);
            const auto timed = visits_.of(now, partition_only_);
            record(timed);
            for (std::size_t i = 0; i < part.size(); ++i) found[part[i]] = timed[i].samples;
            survey_time_ += since(start);
            survey_visits_ += static_cast<double>(part.size());
            const double expected =
                std::max(usual_visits * samples_.hosts() / 2, 1.1 * survey_visits_);
            show_(survey_time_ * (expected / survey_visits_ - 1), what_);
        }
        return found;
    }

private:
    using Clock = std::chrono::steady_clock;

    // What earlier rows showed to be very far is left for the end of a repeat.
    void move_very_far(std::vector<HostPair>& row, std::vector<HostPair>& far) const {
        const auto left = std::stable_partition(row.begin(), row.end(), [this](HostPair pair) {
            return !samples_.can_be_at_once(pair);
        });
        far.insert(far.end(), left, row.end());
        row.erase(left, row.end());
    }

    // Several at once, unless the first of them are faster alone.
    void time_very_far(std::vector<HostPair> pairs, const SizesOf& sizes) {
        std::size_t most = far_at_once;
        const auto start = Clock::now();
        const std::size_t all = pairs.size();
        while (!pairs.empty()) {
            const std::size_t done = all - pairs.size();
            const Seconds each = done == 0 ? time_of_first_visit() / far_at_once
                                           : since(start) / static_cast<double>(done);
            show_(each * static_cast<double>(pairs.size()), "pairs far apart");
            std::vector<HostPair> now;
            const auto parts = disjoint_parts(pairs, samples_.hosts(), most);
            for (const std::size_t i : parts.front()) now.push_back(pairs[i]);
            record(visits_.of(now, sizes));
            std::erase_if(pairs, [this](HostPair pair) { return samples_.has(0, pair); });
            // A second time, as it may have been the load of a moment.
            if (done == 0 && now.size() > 1 && !undisturbed(now) && !undisturbed(now)) most = 1;
        }
    }

    void time_unclear() {
        const auto start = Clock::now();
        for (int time = 0; time < most_times_lone && since(start) < longest_lone; ++time) {
            auto again = unclear();
            if (time >= most_times_again || since(start) >= longest_again)
                again = of_lone_hosts(std::move(again), cost(), profile_.tolerance);
            if (again.empty()) return;
            for (const auto& row : rows_by_clock(again)) {
                show_(0, profile_.hosts[at(row.front().first)] + " again");
                record(visits_.of(row, partition_only_));
            }
            fill_in({});
        }
    }

    // What disturbs makes hosts slow for a while: some of it milliseconds, some half a second.
    void time_slow_again(const Levels& levels) {
        const auto start = Clock::now();
        for (int time = 0; time < most_times_slow && since(start) < longest_again; ++time) {
            const auto again = pairs_of_slow(profile_, surveyed_);
            if (again.empty()) return;
            std::this_thread::sleep_for(pause_before_slow * (1 << time));
            for (const auto& row : rows_by_clock(again)) {
                show_(0, profile_.hosts[at(row.front().first)] + " again");
                record(visits_.of(row, [this](HostPair) {
                    return std::vector<std::size_t>{profile_.sizes.size() - 1};
                }));
            }
            fill_in(levels);
        }
    }

    void time_all_sizes(const Levels& levels) {
        time_missing_sizes(pairs_for_all_sizes(samples_.of_partition(), levels));
        time_missing_sizes(pairs_to_tell_apart(long_pairs(profile_, samples_.by_size()),
                                               samples_.of_partition(), levels.back()));
        keep_.tell(true);
    }
    void time_missing_sizes(std::vector<HostPair> pairs) {
        std::erase_if(pairs,
                      [this](HostPair pair) { return samples_.sizes_without(pair).empty(); });
        const auto parts = rows_by_clock(pairs);
        for (std::size_t part = 0; part < parts.size(); ++part) {
            show_(long_time_ * static_cast<double>(parts.size() - part), "long messages");
            const auto start = Clock::now();
            record(visits_.of(parts[part],
                              [this](HostPair pair) { return samples_.sizes_without(pair); }));
            long_time_ = (static_cast<double>(part) * long_time_ + since(start)) /
                         static_cast<double>(part + 1);
        }
    }

    void note_measured() {
        for (const auto& timings : samples_.by_size()) {
            auto& measured = surveyed_->measured.emplace_back();
            for (const auto& entry : timings.entries()) measured.emplace_back(entry.a, entry.b);
            std::sort(measured.begin(), measured.end());
        }
    }

    // Of a repeat; of pairs that are very far by what is known of others, no long messages.
    SizesOf short_if_far(int repeat) const {
        return [this, wanted = samples_.sizes_of(repeat)](HostPair pair) {
            auto sizes = wanted(pair);
            if (samples_.is_very_far(pair) || samples_.must_be_very_far(pair))
                std::erase_if(sizes, [this](std::size_t size) { return samples_.is_long(size); });
            return sizes;
        };
    }

    // Those that some sizes are left to be timed of.
    std::vector<HostPair> pairs_without(const SizesOf& sizes_left) const {
        std::vector<HostPair> found;
        for (const auto& pair : pairs_)
            if (!sizes_left(pair).empty()) found.push_back(pair);
        return found;
    }

    // Medians stand for samples that are not known any more.
    void take_over(std::size_t size, int known) {
        const auto add = [&](int a, int b) {
            const Seconds least = profile_.minimum[size](a, b);
            samples_.by_size()[size].add({a, b},
                                         {least, least * (1 + profile_.spread[size](a, b))});
        };
        if (surveyed_) {
            for (const auto& [a, b] : surveyed_->measured[size]) add(a, b);
            return;
        }
        for (int a = 0; a < known; ++a)
            for (int b = a + 1; b < known; ++b) add(a, b);
    }

    void fill_in(const Levels& levels) {
        Levels one{std::vector<int>(profile_.hosts.size(), 0)};
        auto filled =
            fill(samples_.by_size(), samples_.partition_size(), levels.empty() ? one : levels,
                 levels.empty() ? SpreadOf::all_visits : SpreadOf::best_visit);
        profile_.minimum = std::move(filled.minimum);
        profile_.spread = std::move(filled.spread);
    }

    // Of pairs that were never visited, as making connections disturbs others most. Twice, as pairs
    // may miss each other.
    void try_at_once(const std::vector<HostPair>& pairs) {
        const auto parts = disjoint_parts(pairs, samples_.hosts());
        if (parts.front().size() < 2 * least_at_once) return;
        tried_ = true;
        std::size_t part = 0, next = 0;
        for (std::size_t most = parts.front().size(); most >= least_at_once; most /= 8)
            for (std::size_t passed = 0;;) {
                // The second part may be a little smaller.
                const std::size_t enough = most - most / 8;
                if (part < parts.size() && next + enough > parts[part].size()) ++part, next = 0;
                if (part == parts.size() || enough > parts[part].size()) return;
                std::vector<HostPair> now;
                for (; now.size() < most && next < parts[part].size(); ++next)
                    now.push_back(pairs[parts[part][next]]);
                if (!undisturbed(now)) break;
                if (++passed < times_tried) continue;
                at_once_ = most;
                return;
            }
    }
    bool undisturbed(const std::vector<HostPair>& pairs) {
        const auto timed = visits_.of(pairs, partition_only_);
        const std::size_t tried = std::min(tried_alone, pairs.size());
        std::vector<Seconds> together, alone;
        for (std::size_t i = 0; i < tried; ++i) {
            const std::size_t pair = i * pairs.size() / tried;
            together.push_back(least_of(timed[pair].samples));
            alone.push_back(least_of(visits_.of({pairs[pair]}, partition_only_).front().samples));
        }
        return undisturbed_at_once(together, alone);
    }

    void record(const std::vector<TimedPair>& timed) {
        for (const auto& [pair, size, samples] : timed) {
            samples_.by_size()[size].add(pair, samples);
            if (size == samples_.partition_size()) leasts_[pair].push_back(least_of(samples));
            keep_.note(size, pair);
        }
        keep_.tell();
    }

    Seconds left(int repeat, const SizesOf& sizes, const std::vector<HostPair>& row,
                 bool far_at_end) const {
        const Seconds each = time_of_first_visit();
        Seconds now = 0;
        for (const auto& pair : pairs_) {
            if (sizes(pair).empty()) continue;
            if (far_at_end && samples_.can_be_at_once(pair))
                now += each / static_cast<double>(far_at_once);
            else if (pair >= row.front())
                now += samples_.is_known(pair) ? samples_.time_of_another_visit(pair) : each;
        }
        const Seconds again = another_repeat();
        int repeats = profile_.repeats - 1 - repeat;
        while (repeats > 0 && since(start_) + now + repeats * again > most_) --repeats;
        return now + repeats * again;
    }
    // Of pairs that were never timed the mean of those that were is the best guess.
    Seconds time_of_first_visit() const {
        return first_pairs_ == 0 ? std::numeric_limits<Seconds>::infinity()
                                 : first_time_ / static_cast<double>(first_pairs_);
    }
    // All pairs, as those that are known by now.
    Seconds another_repeat() const {
        Seconds sum = 0;
        std::size_t known = 0;
        for (const auto& pair : pairs_)
            if (samples_.is_known(pair)) {
                sum += samples_.time_of_another_visit(pair);
                ++known;
            }
        if (known == 0) return 0;
        return sum * static_cast<double>(pairs_.size()) / static_cast<double>(known);
    }
    const Matrix& cost() const { return profile_.minimum[samples_.partition_size()]; }
    std::vector<HostPair> unclear() const {
        auto found = pairs_to_revisit(samples_.of_partition(), leasts_, cost(), profile_.tolerance);
        // Of known hosts nothing is timed again: they may take no part.
        std::erase_if(found, [this](HostPair pair) {
            return !std::binary_search(pairs_.begin(), pairs_.end(), pair);
        });
        return found;
    }

    Profile& profile_;
    std::optional<Surveyed>& surveyed_;
    std::vector<HostPair> pairs_;  // all that were not timed before
    const Seconds most_;           // until the last repeat ends
    const ShowLeft& show_;
    const Clock::time_point start_ = Clock::now();
    const SizesOf partition_only_ = [this](HostPair) {
        return std::vector<std::size_t>{samples_.partition_size()};
    };
    PairSamples samples_{profile_};
    const PairVisits visits_;
    LeastOfVisits leasts_;  // of partition_bytes, by this run
    KeepPairs keep_{profile_, samples_.by_size()};
    std::size_t at_once_ = 1;  // pairs
    bool tried_ = false;
    std::string what_ = "hosts";
    Seconds survey_time_ = 0, long_time_ = 0.05;
    double survey_visits_ = 0;
    Seconds first_time_ = 0;  // of the first visits so far
    std::size_t first_pairs_ = 0;
};

}  // namespace

void time_pairs(Profile& profile, std::optional<Surveyed>& surveyed, int known,
                const std::string& kept, bool all_pairs, Seconds look,
                const std::vector<int>& leader, const std::vector<Hint>& hints,
                const WorkerPool& workers, Seconds most, const ShowLeft& show) {
    PairProber timing(profile, surveyed, known, kept, leader, workers, most, show);
    const auto hosts = static_cast<int>(profile.hosts.size());
    if (all_pairs || hosts <= few_hosts)
        timing.time_all(all_pairs, look);
    else
        timing.time_some(hints, look);
}

}  // namespace eco
