// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/odd.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/survey/hosts_by_subnet.h"

namespace eco {

namespace {

constexpr double clearly_more = 1.5;  // of overheads
// Of what a host takes longer, its overheads must explain so much: else it is far away.
constexpr double least_explained = 0.2;
// Of what a host takes longer to its nearest subnet: as much longer it takes to others.
constexpr double least_alike = 0.5, most_alike = 2;
// Farther subnets, times the distance inside, hide what a slow host adds.
constexpr double too_far = 10;

constexpr double unlimited = std::numeric_limits<double>::infinity();

class Slow {
public:
    explicit Slow(const Profile& profile)
        : profile_(profile), cost_(profile.minimum[partition_size(profile)]) {
        for (auto& [id, hosts] : hosts_by_subnet(profile.levels.back()))
            subnets_.push_back(std::move(hosts));
    }

    std::vector<Odd> run() const {
        std::vector<Odd> found;
        for (const auto& alone : subnets_) {
            if (alone.size() != 1) continue;
            const std::vector<int>* nearest = nullptr;
            for (const auto& other : subnets_)
                if (other.size() > 1 &&
                    (!nearest || between(alone, other) < between(alone, *nearest)))
                    nearest = &other;
            if (!nearest) continue;
            const double inner = inside(*nearest), apart = between(alone, *nearest);
            if (apart > inner && (is_farther_from_all(alone, *nearest, apart - inner, inner) ||
                                  has_more_to_do(alone.front(), *nearest, apart - inner)))
                found.push_back({alone, "slow", apart / inner});
        }
        return found;
    }

private:
    double between(const std::vector<int>& one, const std::vector<int>& two) const {
        double least = unlimited;
        for (const int a : one)
            for (const int b : two) least = std::min(least, cost_(a, b));
        return least;
    }
    double inside(const std::vector<int>& hosts) const {
        double least = unlimited;
        for (const int a : hosts)
            for (const int b : hosts)
                if (a != b) least = std::min(least, cost_(a, b));
        return least;
    }
    bool is_farther_from_all(const std::vector<int>& alone, const std::vector<int>& nearest,
                             double more, double inner) const {
        int compared = 0;
        for (const auto& other : subnets_) {
            if (&other == &nearest || other.size() < 2) continue;
            const double theirs = between(nearest, other);
            if (theirs > too_far * inner) continue;
            const double own = between(alone, other) - theirs;
            if (own < least_alike * more || own > most_alike * more) return false;
            ++compared;
        }
        return compared > 0;
    }
    bool has_more_to_do(int host, const std::vector<int>& others, double more) const {
        if (!profile_.model) return false;
        const auto overheads = [&](int of) {
            return profile_.model->send[at(of)].fixed + profile_.model->receive[at(of)].fixed;
        };
        std::vector<double> theirs;
        for (const int other : others) theirs.push_back(overheads(other));
        const double usual = upper_median(theirs), own = overheads(host);
        return own > clearly_more * usual && own - usual > least_explained * more;
    }

    const Profile& profile_;
    const Matrix& cost_;
    std::vector<std::vector<int>> subnets_;
};

}  // namespace

std::vector<Odd> slow_hosts(const Profile& profile) { return Slow(profile).run(); }

}  // namespace eco
