#include "eco/probe/measure_pairs.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

#include "eco/topology/unclear.h"

namespace eco {

namespace {

// A visit of a pair counts as many round trips of a size as fit into this.
constexpr Seconds time_per_size = 20e-3;

// What TCP sends at once on a connection that was quiet. A longer message needs one that is not
// counted before it, on long ways too, and a second one that is, as those are not timed again.
constexpr Bytes first_flight = 14000;

// Of pairs that are not clear; near ones take milliseconds.
constexpr int most_times_again = 10;
constexpr Seconds longest_again = 3;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

class PairTiming {
public:
    PairTiming(Profile& profile, const std::vector<HostPair>& pairs,
               const std::vector<int>& speaker, const Crew& crew, const ShowLeft& show)
        : profile_(profile), pairs_(pairs), speaker_(speaker), crew_(crew), show_(show) {
        const auto& sizes = profile.sizes;
        partition_size_ = static_cast<std::size_t>(
            std::find(sizes.begin(), sizes.end(), profile.partition_bytes) - sizes.begin());
        samples_.resize(sizes.size());
    }

    void run() {
        for (int repeat = 0; repeat < profile_.repeats; ++repeat)
            for (const auto& row : rows(pairs_)) {
                show_(left(repeat, row), profile_.hosts[at(row.front().first)] + " and others");
                const auto start = Clock::now();
                visit(row, sizes_of(repeat));
                if (repeat == 0) {
                    first_time_ += since(start);
                    first_pairs_ += row.size();
                }
            }
        const auto start = Clock::now();
        for (int time = 0; time < most_times_again && since(start) < longest_again; ++time) {
            const auto again = unclear();
            if (again.empty()) return;
            for (const auto& row : rows(again)) {
                show_(0, profile_.hosts[at(row.front().first)] + " again");
                visit(row, [this](HostPair) { return std::vector<std::size_t>{partition_size_}; });
            }
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    static Seconds since(Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    }
    using SizesOf = std::function<std::vector<std::size_t>(HostPair)>;

    // By the host that holds the clock, so that one set of orders does for all its pairs.
    static std::vector<std::vector<HostPair>> rows(const std::vector<HostPair>& pairs) {
        std::vector<std::vector<HostPair>> found;
        for (const auto& pair : pairs) {
            if (found.empty() || found.back().front().first != pair.first) found.emplace_back();
            found.back().push_back(pair);
        }
        return found;
    }

    bool is_far(HostPair pair) const {
        return profile_.minimum[0](pair.first, pair.second) >= long_way;
    }
    bool is_long(std::size_t size) const {
        return profile_.sizes[size] > std::max(first_flight, profile_.partition_bytes);
    }

    // Long messages over long ways vary little and cost most: once is enough.
    SizesOf sizes_of(int repeat) const {
        return [this, repeat](HostPair pair) {
            std::vector<std::size_t> sizes;
            for (std::size_t size = 0; size < profile_.sizes.size(); ++size)
                if (repeat == 0 || !is_long(size) || !is_far(pair)) sizes.push_back(size);
            return sizes;
        };
    }

    // One pair after the other: the clocks' host has all its orders, and goes on by itself.
    void visit(const std::vector<HostPair>& row, const SizesOf& sizes_of) {
        std::vector<std::pair<int, Order>> answers, trips;
        std::vector<std::pair<HostPair, std::size_t>> timed;
        for (const auto& pair : row) {
            const int clock = speaker_[at(pair.first)], other = speaker_[at(pair.second)];
            for (const std::size_t size : sizes_of(pair)) {
                Order order;
                order.kind = Order::Kind::round_trips;
                order.to = other;
                order.bytes = profile_.sizes[size];
                order.count = most_trips(size);
                order.least = is_long(size) && !samples_[size].contains(pair) ? 2 : 1;
                order.duration = time_per_size;
                const bool goes_on = !timed.empty() && timed.back().first == pair;
                const bool again = samples_[0].contains(pair) && is_far(pair);
                order.warm = (goes_on || again) && !is_long(size);
                trips.emplace_back(clock, order);
                order.kind = Order::Kind::answer_trips;
                order.to = clock;
                order.warm = goes_on && !is_long(size);
                answers.emplace_back(other, order);
                timed.emplace_back(pair, size);
            }
        }
        // The clock begins when its first order comes; the others know by then.
        auto orders = answers;
        orders.insert(orders.end(), trips.begin(), trips.end());
        const auto figures = crew_.run(orders);
        for (std::size_t i = 0; i < timed.size(); ++i) {
            const auto& [pair, size] = timed[i];
            auto& samples = samples_[size][pair];
            for (const double figure : figures[answers.size() + i])
                if (figure > 0) samples.push_back(figure);
            std::sort(samples.begin(), samples.end());
            const Seconds least = samples.front(), median = samples[samples.size() / 2];
            profile_.minimum[size].set(pair.first, pair.second, least);
            profile_.spread[size].set(pair.first, pair.second, (median - least) / least);
        }
    }
    // Long messages vary less and cost more.
    int most_trips(std::size_t size) const {
        const int trips = profile_.round_trips;
        return profile_.sizes[size] > profile_.partition_bytes ? (trips + 1) / 2 : trips;
    }

    Seconds left(int repeat, const std::vector<HostPair>& row) const {
        if (first_pairs_ == 0) return std::numeric_limits<Seconds>::infinity();
        // Of pairs that were never timed the mean of those that were is the best guess.
        const Seconds each = first_time_ / static_cast<double>(first_pairs_);
        Seconds now = 0, again = 0;
        std::size_t known = 0;
        for (const auto& pair : pairs_) {
            const bool timed = samples_[0].contains(pair), waits = pair >= row.front();
            if (timed) again += visit_time(pair);
            known += timed ? 1 : 0;
            if (waits) now += timed ? visit_time(pair) : each;
        }
        if (known > 0) again *= static_cast<double>(pairs_.size()) / static_cast<double>(known);
        return now + again * (profile_.repeats - 1 - repeat);
    }
    // Of another visit.
    Seconds visit_time(HostPair pair) const {
        Seconds sum = 0;
        for (const std::size_t size : sizes_of(1)(pair)) {
            const Seconds trip = 2 * profile_.minimum[size](pair.first, pair.second);
            const bool counts = !is_long(size) && trip >= 2 * long_way;
            const int trips = 1 + static_cast<int>(time_per_size / trip);
            sum += trip * (std::min(trips, most_trips(size)) + (counts ? 0 : 1));
        }
        return sum;
    }

    std::vector<HostPair> unclear() const {
        const int hosts = static_cast<int>(profile_.hosts.size());
        const Matrix& cost = profile_.minimum[partition_size_];
        const Matrix& spread = profile_.spread[partition_size_];
        Matrix doubts(hosts);
        for (const auto& [pair, samples] : samples_[partition_size_]) {
            const auto [a, b] = pair;
            doubts.set(a, b, doubt(cost(a, b), spread(a, b), static_cast<int>(samples.size())));
        }
        auto found = unclear_pairs(cost, doubts, profile_.tolerance);
        std::erase_if(found, [this](HostPair pair) { return !samples_[0].contains(pair); });
        return found;
    }

    Profile& profile_;
    const std::vector<HostPair>& pairs_;
    const std::vector<int>& speaker_;
    const Crew& crew_;
    const ShowLeft& show_;
    std::size_t partition_size_ = 0;
    std::vector<std::map<HostPair, std::vector<Seconds>>> samples_;  // by size, ascending
    Seconds first_time_ = 0;                                         // of the first visits so far
    std::size_t first_pairs_ = 0;
};

}  // namespace

void time_pairs(Profile& profile, const std::vector<HostPair>& pairs,
                const std::vector<int>& speaker, const Crew& crew, const ShowLeft& show) {
    PairTiming(profile, pairs, speaker, crew, show).run();
}

}  // namespace eco
