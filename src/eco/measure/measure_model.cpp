// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/measure/flow_time.h"
#include "eco/measure/later_steps.h"
#include "eco/measure/model_timer.h"
#include "eco/measure/since.h"
#include "eco/measure/trial.h"
#include "eco/survey/both_ways.h"
#include "eco/topology/media.h"
#include "eco/topology/network.h"
#include "eco/topology/transfer.h"

namespace eco {

namespace {

// Of flows; of a link that seems to be slower one way.
constexpr int most_samples = 3, most_samples_of_odd = 6;

// From so many hosts on not every one's overheads are timed.
constexpr int many_hosts = 32, most_timed_of_subnet = 4;

// A link is asymmetric if one direction is so many times as fast as the other; how long links are
// tested.
constexpr double asymmetric = 1.5;
constexpr Seconds longest_for_links = 15;

// Clusters of a level that are timed; where all of these are of one kind, so are the others.
constexpr std::size_t enough_alike = 6;

// Whose NICs say who else uses a cluster.
constexpr std::size_t most_watched = 16;

// To learn what a cluster shares and what its uplink is, about.
constexpr int flows_of_cluster = 6;

// Of a host's overheads; the order and its answer take a way of their own.
constexpr Seconds overheads_time = 0.05;

// The farthest round trip of a host of the cluster: to others of it, or to those outside.
Seconds farthest(const Profile& profile, const Medium& medium, bool inside) {
    const auto& ids = profile.levels[at(medium.level)];
    Seconds most = 0;
    for (std::size_t a = 0; a < ids.size(); ++a)
        for (std::size_t b = 0; b < ids.size(); ++b)
            if (ids[a] == medium.cluster && (ids[b] == medium.cluster) == inside)
                most = std::max(most,
                                2 * profile.minimum[0](static_cast<int>(a), static_cast<int>(b)));
    return most;
}

// To learn its kind, or its uplink: one flow alone and several at once, a second time now and then.
Seconds learning_time(const Profile& profile, const Medium& medium, bool inside) {
    return flows_of_cluster / 2.0 * one_flow(farthest(profile, medium, inside));
}

// The clusters of two hosts or more, finer levels first.
std::vector<Medium> clusters(const Profile& profile) {
    std::vector<Medium> found;
    for (std::size_t l = profile.levels.size(); l-- > 0;) {
        const auto& ids = profile.levels[l];
        for (int cluster = 0; cluster < static_cast<int>(ids.size()); ++cluster)
            if (std::count(ids.begin(), ids.end(), cluster) > 1)
                found.push_back({static_cast<int>(l), cluster, Medium::Kind::switched, 0, 0});
    }
    return found;
}

class ModelMeasuring {
public:
    ModelMeasuring(const Profile& profile, const std::optional<Profile>& known,
                   const std::vector<Medium>& uplinks, const std::vector<NicBytes>& heard,
                   const std::vector<int>& leader, const WorkerPool& workers, const Show& show)
        : profile_(profile),
          known_(known && known->model ? &*known : nullptr),
          uplinks_(uplinks),
          heard_(heard),
          timer_(profile, leader, workers),
          show_(show),
          hosts_(static_cast<int>(profile.hosts.size())) {
        if (known_)
            carried_over_ = carried_over(known_->model->media, known_->levels, profile_.levels);
    }

    Model run() {
        find_overheads();
        find_transfer();
        for (auto& medium : clusters(profile_)) {
            advance(learning_time(profile_, medium, true), "what " + name(medium) + " shares");
            model_.media.push_back(with_kind(medium));
            for (const Medium& found : uplinks_)
                if (found.level == medium.level && found.cluster == medium.cluster)
                    take_uplink(model_.media.back(), found);
        }
        // The uplinks of finer levels are known before those of wider ones are looked for.
        for (std::size_t m = 0; m < model_.media.size(); ++m) {
            advance(learning_time(profile_, model_.media[m], false),
                    "traffic out of " + name(model_.media[m]));
            find_uplink(m);
        }
        for (Medium& medium : model_.media) find_bursts(medium);
        return std::move(model_);
    }

    OddLinks odd_links(const std::vector<HostPair>& inside, Seconds most) {
        OddLinks found;
        const auto began = std::chrono::steady_clock::now();
        const auto& subnet = profile_.levels.back();
        std::vector<HostPair> tried;
        for (const auto& [a, b] : links_to_try(subnet, inside)) {
            show_(1,
                  profile_.hosts[at(a)] + " and " + profile_.hosts[at(b)] + " in both directions");
            if (since(began) > std::min(most, longest_for_links)) break;
            double there = 0, back = 0;
            for (int sample = 0; sample < most_samples_of_odd; ++sample) {
                there = std::max(there, timer_.total({{a, b}}));
                back = std::max(back, timer_.total({{b, a}}));
                if (std::max(there, back) <= asymmetric * std::min(there, back)) break;
            }
            tried.emplace_back(a, b);
            if (there > asymmetric * back && back > 0)
                found.odd.push_back({{b, a}, "asymmetric", there / back});
            else if (back > asymmetric * there && there > 0)
                found.odd.push_back({{a, b}, "asymmetric", back / there});
        }
        found.subnets_not_tried = subnets_not_tried(subnet, tried);
        return found;
    }

private:
    // Of a large subnet some; the others are taken to be like them.
    bool is_like_others(int host) const {
        if (hosts_ < many_hosts) return false;
        const auto& subnet = profile_.levels.back();
        return std::count(subnet.begin(), subnet.begin() + host, subnet[at(host)]) >=
               most_timed_of_subnet;
    }
    static Cost middle(const std::vector<Cost>& costs, const std::vector<int>& of) {
        std::vector<double> fixed, per_byte;
        for (const int host : of) {
            fixed.push_back(costs[at(host)].fixed);
            per_byte.push_back(costs[at(host)].per_byte);
        }
        return {upper_median(fixed), upper_median(per_byte)};
    }

    void find_overheads() {
        for (int host = 0; host < hosts_; ++host) {
            if (is_like_others(host)) {
                std::vector<int> like;
                for (int other = 0; other < host; ++other)
                    if (profile_.levels.back()[at(other)] == profile_.levels.back()[at(host)] &&
                        !is_like_others(other))
                        like.push_back(other);
                model_.send.push_back(middle(model_.send, like));
                model_.receive.push_back(middle(model_.receive, like));
                continue;
            }
            advance(overheads_time, profile_.hosts[at(host)]);
            if (known_ && at(host) < known_->hosts.size()) {
                model_.send.push_back(known_->model->send[at(host)]);
                model_.receive.push_back(known_->model->receive[at(host)]);
                continue;
            }
            const int partner = nearest(host);
            const auto [sends, receives] = timer_.overheads(host, partner);
            // Half a round trip holds a send and a receive; both together are less than all of it.
            const Seconds most = 0.9 * profile_.minimum[0](host, partner);
            const double part = std::min(1.0, most / (sends[0] + receives[0]));
            const std::vector<double> sizes(overhead_sizes.begin(), overhead_sizes.end());
            model_.send.push_back(scaled(fit_line(sizes, sends), part));
            model_.receive.push_back(scaled(fit_line(sizes, receives), part));
        }
    }
    static Cost scaled(const Cost& cost, double part) {
        return {part * cost.fixed, part * cost.per_byte};
    }

    int nearest(int host) const {
        int found = host == 0 ? 1 : 0;
        for (int other = 0; other < hosts_; ++other)
            if (other != host &&
                profile_.minimum[0](host, other) < profile_.minimum[0](host, found))
                found = other;
        return found;
    }

    void find_transfer() {
        eco::find_transfer(model_, profile_.sizes, profile_.minimum);
        std::vector<double> errors;
        for (int a = 0; a < hosts_; ++a)
            for (int b = a + 1; b < hosts_; ++b) {
                double sum = 0;
                for (std::size_t s = 0; s < profile_.sizes.size(); ++s) {
                    const Bytes size = profile_.sizes[s];
                    const Seconds own = (overhead(a, size) + overhead(b, size)) / 2,
                                  measured = profile_.minimum[s](a, b);
                    sum += std::abs(own + model_.transfer(a, b).of(size) - measured) / measured;
                }
                errors.push_back(sum / static_cast<double>(profile_.sizes.size()));
            }
        model_.error = median(errors);
    }
    Seconds overhead(int host, Bytes bytes) const {
        return model_.send[at(host)].of(bytes) + model_.receive[at(host)].of(bytes);
    }

    Medium with_kind(Medium medium) {
        for (const auto& old : carried_over_)
            if (old.level == medium.level && old.cluster == medium.cluster) return old;
        if (const Medium* finer = same_as(medium)) {
            medium.kind = finer->kind;
            medium.rate = finer->rate;
            return medium;
        }
        if (const auto like = likes(medium); !like.empty()) {
            std::vector<double> rates;
            for (const Medium* other : like) rates.push_back(other->rate);
            medium.kind = like.front()->kind;
            medium.rate = upper_median(rates);
            return medium;
        }
        const auto flows =
            flows_inside(profile_.levels, medium.level, medium.cluster, model_.per_byte);
        const Watched seen = observe(flows, model_.media, clearly_bus_or_not, watched(medium));
        const bool bus = is_bus(seen);
        medium.kind = bus ? Medium::Kind::bus : Medium::Kind::switched;
        medium.rate = bus ? std::max(seen.alone, seen.together) : seen.port;
        return medium;
    }

    // Media of this level, if so many were timed with like results that another need not be timed.
    std::vector<const Medium*> likes(const Medium& medium) const {
        std::vector<const Medium*> found;
        for (const Medium& other : model_.media)
            if (other.level == medium.level && other.cluster != medium.cluster &&
                found.size() < enough_alike)
                found.push_back(&other);
        const auto [least, most] = std::minmax_element(
            found.begin(), found.end(), [](auto x, auto y) { return x->rate < y->rate; });
        const bool alike = found.size() == enough_alike && (*most)->rate <= 1.2 * (*least)->rate &&
                           std::all_of(found.begin(), found.end(), [&](auto other) {
                               return other->kind == found.front()->kind;
                           });
        return alike ? found : std::vector<const Medium*>{};
    }

    // A cluster that is the same on two levels is one medium.
    const Medium* same_as(const Medium& medium) const {
        for (const auto& other : model_.media)
            if (other.level > medium.level &&
                same_hosts(profile_.levels[at(medium.level)], medium.cluster,
                           profile_.levels[at(other.level)], other.cluster))
                return &other;
        return nullptr;
    }

    static void take_uplink(Medium& medium, const Medium& from) {
        medium.uplink = from.uplink;
        medium.uplink_in = from.uplink_in;
        medium.found_by = from.found_by;
    }

    void find_uplink(std::size_t place) {
        Medium& medium = model_.media[place];
        if (medium.uplink > 0 || medium.found_by == Medium::FoundBy::capacity) return;
        if (const Medium* finer = same_as(medium)) {
            take_uplink(medium, *finer);
            return;
        }
        const auto flows =
            flows_out(profile_.levels, medium.level, medium.cluster, model_.per_byte);
        if (flows.size() < 2) return;
        // Uplinks of clusters outside may be the same wire, seen from its other end.
        auto known = model_.media;
        for (auto& other : known)
            if (!is_inside(other, medium)) other.uplink = other.uplink_in = 0;
        // Where other media hide the uplink anyway there is nothing to measure.
        const double guess = timer_.rate(flows[0]);
        if (could_tell({guess, 0, expected(flows, guess, known)}))
            medium.uplink = shared_uplink(
                observe(flows, known, clearly_shared_or_not,
                        medium.kind == Medium::Kind::bus ? watched(medium) : std::vector<int>{}));
    }

    void find_bursts(Medium& medium) const {
        const auto flows =
            flows_inside(profile_.levels, medium.level, medium.cluster, model_.per_byte);
        if (medium.burst <= 0 && !flows.empty()) medium.burst = timer_.burst(flows[0], medium.rate);
        if (medium.uplink <= 0 || medium.uplink_burst > 0) return;
        const auto out = flows_out(profile_.levels, medium.level, medium.cluster, model_.per_byte);
        if (!out.empty()) medium.uplink_burst = timer_.burst(out[0], medium.uplink);
    }

    bool is_inside(const Medium& part, const Medium& whole) const {
        const auto& ids = profile_.levels[at(part.level)];
        const auto first = std::find(ids.begin(), ids.end(), part.cluster) - ids.begin();
        const auto& wider = profile_.levels[at(whole.level)];
        return part.level > whole.level && wider[static_cast<std::size_t>(first)] == whole.cluster;
    }

    // Those that may hear others' traffic while streams run: none where all was silent. Of a large
    // cluster the first.
    std::vector<int> watched(const Medium& medium) const {
        auto found = hosts_in(profile_.levels[at(medium.level)], medium.cluster);
        const bool heard = std::any_of(found.begin(), found.end(), [this](int host) {
            return std::max(heard_[at(host)].sent, heard_[at(host)].received) >= least_traffic;
        });
        found.resize(heard ? std::min(found.size(), most_watched) : 0);
        return found;
    }

    struct Watched : Observed {
        double port = 0;  // what the ways to and from the first flow's hosts carried
    };
    // Disturbance slows; so the best sample of few counts. What is not ECO's on these hosts counts
    // as if it were: it takes its part of a bus, or of two ports; what leaves them shows only where
    // all was silent. Of a switch's uplink nobody knows who crosses it: no hosts; on a bus all that
    // crosses it takes its part as well.
    Watched observe(const std::vector<Flow>& flows, const std::vector<Medium>& known,
                    bool (*is_clear)(const Observed&), const std::vector<int>& hosts = {}) const {
        Watched seen{{0, 0, 0}};
        double leaves = 0;
        for (const int host : hosts) leaves += heard_[at(host)].sent - heard_[at(host)].received;
        leaves = std::max(0.0, leaves);
        const double sent = hosts.empty() ? 0 : heard_[at(flows[0].from)].sent;
        for (int sample = 0; sample < most_samples; ++sample) {
            const auto alone = timer_.carried({flows[0]}, hosts),
                       together = timer_.carried(flows, hosts);
            seen.port = std::max(seen.port, alone.flows + std::max(alone.to_first, sent));
            seen.alone = std::max(seen.alone, alone.flows + alone.to_hosts + leaves);
            seen.together = std::max(seen.together, together.flows + together.to_hosts);
            seen.expected = expected(flows, seen.alone, known);
            if (seen.alone > 0 && is_clear(seen)) break;
        }
        if (seen.alone <= 0) seen.alone = seen.port = timer_.rate(flows[0]);
        return seen;
    }
    double expected(const std::vector<Flow>& flows, double alone,
                    const std::vector<Medium>& known) const {
        return expected_total(flows, alone, model_.per_byte, profile_.levels, known);
    }

    void advance(Seconds time, const std::string& what) {
        show_(done_ / all_, what);
        done_ += time;
    }
    std::string name(const Medium& medium) const {
        const auto& ids = profile_.levels[at(medium.level)];
        const auto first = std::find(ids.begin(), ids.end(), medium.cluster) - ids.begin();
        const auto count = std::count(ids.begin(), ids.end(), medium.cluster);
        return profile_.hosts[static_cast<std::size_t>(first)] + " with " +
               std::to_string(count - 1) + (count > 2 ? " others" : " other");
    }

    const Profile& profile_;
    const Profile* known_;
    const std::vector<Medium> uplinks_;
    const std::vector<NicBytes> heard_;
    const ModelTimer timer_;
    const Show& show_;
    int hosts_;
    std::vector<Medium> carried_over_;
    Model model_;
    Seconds all_ = model_time(profile_), done_ = 0;  // as expected
};

}  // namespace

Seconds model_time(const Profile& profile) {
    Seconds sum = overheads_time * static_cast<double>(profile.hosts.size());
    if (profile.levels.empty()) return sum + 2 * flows_of_cluster * one_flow(farthest(profile));
    for (const Medium& medium : clusters(profile))
        sum += learning_time(profile, medium, true) + learning_time(profile, medium, false);
    return sum;
}

OddLinks find_odd_links(const Profile& profile, const std::vector<int>& leader,
                        const WorkerPool& workers, const std::vector<HostPair>& inside,
                        Seconds most, const Show& show) {
    return ModelMeasuring(profile, std::nullopt, {}, {}, leader, workers, show)
        .odd_links(inside, most);
}

Model measure_model(const Profile& profile, const std::optional<Profile>& known,
                    const std::vector<Medium>& uplinks, const std::vector<NicBytes>& heard,
                    const std::vector<int>& leader, const WorkerPool& workers, const Show& show) {
    return ModelMeasuring(profile, known, uplinks, heard, leader, workers, show).run();
}

}  // namespace eco
