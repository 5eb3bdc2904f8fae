// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/job/session.h"
#include "eco/measure/host_hint.h"
#include "eco/measure/later_steps.h"
#include "eco/measure/look_again.h"
#include "eco/measure/measure_capacity.h"
#include "eco/measure/measure_gap.h"
#include "eco/measure/measure_mcast.h"
#include "eco/measure/measure_model.h"
#include "eco/measure/measure_pairs.h"
#include "eco/measure/measure_rails.h"
#include "eco/measure/messages.h"
#include "eco/measure/model_timer.h"
#include "eco/measure/protocol.h"
#include "eco/measure/rail_pairs.h"
#include "eco/measure/since.h"
#include "eco/measure/worker_pool.h"
#include "eco/mpi/gather_all.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/survey/odd.h"
#include "eco/survey/slow_for_long.h"
#include "eco/survey/survey.h"
#include "eco/topology/media.h"
#include "eco/topology/nesting.h"
#include "eco/topology/partition.h"
#include "eco/topology/ring.h"

namespace eco {

namespace {

// Of the time that is left, at most.
constexpr double for_capacity = 0.25, for_odd_links = 0.1, for_mcast = 0.2, for_shared_gap = 0.05;

// How long ECO listens, each of two times, to what is not its own; and what is worth a word, in
// parts of the slowest medium.
constexpr Seconds listening = 0.25;
constexpr double part_of_slowest = 0.02;

class Measuring {
public:
    Measuring(const Options& options, const std::optional<Profile>& known, Notes& notes,
              const std::string& kept, const std::set<std::string>& not_joining, Progress& progress,
              double share, const std::function<Seconds()>& left, Seconds predicting)
        : options_(options),
          known_(known),
          notes_(notes),
          kept_(kept),
          not_joining_(not_joining),
          progress_(progress),
          share_(share),
          left_(left),
          predicting_(predicting) {}

    Profile run() {
        find_hosts();
        set_parameters();
        if (workers_.rank() == 0) {
            const Seconds look = time_of_look();
            listen();
            time_pairs(look);
            // A survey visits most pairs once.
            derive_topology(profile_, notes_.surveyed ? 1 : profile_.repeats, look);
            find_capacity();
            find_model();
            listen();
            note_others_traffic();
            if (options_.facts) tell_again();
            workers_.dismiss();
        } else {
            workers_.worker_loop();
        }
        measure_gap();
        find_rails();
        find_mcast();
        return profile_;
    }

private:
    void tell_again() const {
        auto event = look_again(profile_, leader_, workers_);
        event["event"] = "again";
        send_event(event);
    }

    void find_hosts() {
        const auto names = gather_texts(mpi_.comm_world, processor_name());
        const auto hints = all_hints();
        if (known_) {
            profile_.hosts = known_->hosts;
            hints_.resize(profile_.hosts.size());
            leader_.assign(profile_.hosts.size(), -1);
        }
        for (int rank = 0; rank < workers_.ranks(); ++rank) {
            const std::string& host = names[at(rank)];
            const auto found = std::find(profile_.hosts.begin(), profile_.hosts.end(), host);
            const auto index = static_cast<std::size_t>(found - profile_.hosts.begin());
            if (found == profile_.hosts.end()) {
                profile_.hosts.push_back(host);
                leader_.push_back(rank);
                hints_.push_back(hints[at(rank)]);
            } else if (leader_[index] < 0) {
                leader_[index] = rank;
                hints_[index] = hints[at(rank)];
            }
        }
    }

    void set_parameters() {
        char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
        int length = 0;
        mpi_.Get_library_version(version, &length);
        profile_.mpi_family = ECO_FAMILY;
        const std::string text(version);
        profile_.mpi_version = text.substr(0, text.find_first_of(",\n"));
        const std::time_t now = std::time(nullptr);
        char date[32];
        std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
        profile_.created = date;
        profile_.sizes = known_ ? known_->sizes : options_.sizes;
        if (profile_.sizes.empty()) profile_.sizes = {1, 1024, 16384};
        profile_.round_trips = options_.round_trips;
        profile_.repeats = options_.repeats > 0 ? options_.repeats : 3;
        profile_.partition_bytes = known_ ? known_->partition_bytes : options_.partition_bytes;
        profile_.tolerance = options_.tolerance >= 0 ? options_.tolerance
                             : known_                ? known_->tolerance
                                                     : default_tolerance;
        auto& sizes = profile_.sizes;
        sizes.push_back(profile_.partition_bytes);
        std::sort(sizes.begin(), sizes.end());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        if (!known_) return;
        profile_.tuning = known_->tuning;
        if (profile_.hosts.size() > known_->hosts.size()) return;
        // Nothing will be measured now.
        profile_.mpi_family = known_->mpi_family;
        profile_.mpi_version = known_->mpi_version;
        profile_.created = known_->created;
        profile_.round_trips = known_->round_trips;
        profile_.repeats = known_->repeats;
    }

    void time_pairs(Seconds look) {
        const int hosts = static_cast<int>(profile_.hosts.size());
        const int old = known_ ? static_cast<int>(known_->hosts.size()) : 0;
        for (std::size_t s = 0; s < profile_.sizes.size(); ++s) {
            profile_.minimum.emplace_back(hosts);
            profile_.spread.emplace_back(hosts);
            for (int a = 0; a < old; ++a)
                for (int b = a + 1; b < old; ++b) {
                    profile_.minimum[s].set(a, b, known_->minimum[s](a, b));
                    profile_.spread[s].set(a, b, known_->spread[s](a, b));
                }
        }
        if (old == hosts) return;
        notes_.interfaces = options_.interfaces;
        for (int host = 0; host < hosts; ++host)
            if (leader_[at(host)] < 0)
                throw Error(
                    Code::launch,
                    "host " + profile_.hosts[at(host)] +
                        " of the profile is not in this launch, so new hosts "
                        "cannot be measured against it; launch on all hosts, or add --again");
        eco::time_pairs(
            profile_, notes_.surveyed, old, kept_, options_.all_pairs, look, leader_, hints_,
            workers_, left_(), [&](Seconds left, const std::string& what) {
                show_left(left + time_of_capacity() + model_time(profile_) + later().all(), what);
            });
        say_repeats();
    }

    // Where those that were asked for were not made.
    void say_repeats() const {
        const int asked = options_.repeats, made = profile_.repeats;
        std::string why;
        if (asked > made)
            why = "the time was enough for " + std::to_string(made) +
                  "; a longer --budget makes more";
        else if (asked > 1 && !options_.all_pairs && profile_.hosts.size() > at(few_hosts))
            why =
                "of so many hosts most pairs are timed once; --all-pairs times all, and repeats it";
        if (why.empty()) return;
        send_event(
            {{"event", "note"}, {"text", "--repeats " + std::to_string(asked) + ": " + why}});
    }

    bool is_fresh() const { return !known_ || profile_.hosts.size() > known_->hosts.size(); }

    Seconds time_of_capacity() const {
        return std::min(capacity_time(profile_), for_capacity * left_());
    }

    // What single messages do not show.
    void find_capacity() {
        if (!is_fresh()) {
            if (!known_->model) return;
            profile_.levels = with_capacity(profile_.levels, known_->levels, known_->model->media);
            profile_.ring = near_ring(profile_.minimum[partition_size(profile_)], profile_.levels);
            return;
        }
        const Seconds before = spent(), expected = time_of_capacity();
        const FoundCapacity found =
            measure_capacity(profile_, heard_, leader_, workers_, for_capacity * left_(),
                             [&](double done, const std::string& what) {
                                 show_step(before, expected, std::max(done, 0.05),
                                           model_time(profile_) + later().all(), what);
                             });
        uplinks_ = found.media;
        if (!found.complete)
            send_event(
                {{"event", "note"},
                 {"text", "whether hosts share uplinks is not known: the time was enough for " +
                              std::to_string(found.rounds) +
                              " rounds of streams; a longer --budget makes more"}});
    }

    // Nothing new, nothing to measure: then the model is the known one, or none.
    void find_model() {
        const bool fresh = is_fresh();
        if (!fresh) {
            profile_.model = known_->model;
            // Another tolerance makes other clusters.
            if (profile_.model)
                profile_.model->media =
                    carried_over(profile_.model->media, known_->levels, profile_.levels);
        }
        if (!fresh || profile_.hosts.size() < 2) return;
        const Seconds before = spent(), model = model_time(profile_);
        profile_.model =
            measure_model(profile_, known_, uplinks_, heard_, leader_, workers_,
                          [&](double done, const std::string& what) {
                              // Rarely less than was thought, often more.
                              show_step(before, model, std::max(done, 0.1), later().all(), what);
                          });
        const OddLinks links = find_odd_links(
            profile_, leader_, workers_, pairs_to_try_both_ways(profile_, notes_.surveyed),
            for_odd_links * left_(), show_later(LaterSteps::links));
        notes_.odd = all_odd(slow_hosts(profile_), slow_for_long(profile_, notes_.surveyed),
                             links.odd, profile_.levels.back());
        notes_.subnets_not_tried = links.subnets_not_tried;
    }

    // To what is not ECO's: before and after what is measured.
    void listen() {
        const bool all = std::find(leader_.begin(), leader_.end(), -1) == leader_.end();
        if (!is_fresh() || profile_.hosts.size() < 2 || !all) return;
        const auto heard = ModelTimer(profile_, leader_, workers_).listen(listening);
        if (heard_.empty()) {
            heard_ = heard;
            return;
        }
        for (std::size_t host = 0; host < heard.size(); ++host) {
            heard_[host].sent = (heard_[host].sent + heard[host].sent) / 2;
            heard_[host].received = (heard_[host].received + heard[host].received) / 2;
        }
    }

    void note_others_traffic() {
        double slowest = 0;
        if (profile_.model)
            for (const Medium& medium : profile_.model->media)
                slowest = slowest > 0 ? std::min(slowest, medium.rate) : medium.rate;
        const double least = std::max(least_traffic, part_of_slowest * slowest);
        for (std::size_t host = 0; host < heard_.size(); ++host)
            if (std::max(heard_[host].sent, heard_[host].received) >= least)
                notes_.others_traffic.push_back(
                    {static_cast<int>(host), heard_[host].sent, heard_[host].received});
    }

    // All hosts take part, so a new one changes what is known of the others.
    void measure_gap() {
        const bool fresh = is_fresh();
        // A check predicts nothing.
        if (!fresh || profile_.hosts.size() < 2 || options_.facts) return;
        show_later(LaterSteps::processors)(0, "processors");
        // Without choices the profile is of little use if that is not clear; a second at most.
        const Seconds most = options_.tune ? for_shared_gap * left_() : never;
        const SharedGap found = measure_shared_gap(profile_, leader_, most);
        if (!profile_.model) return;  // not on rank 0
        profile_.model->shared_gap = found.gap;
        if (found.unclear.empty()) return;
        const bool kept = known_ && known_->model && known_->model->shared_gap > 0;
        if (kept) profile_.model->shared_gap = known_->model->shared_gap;
        send_event({{"event", "note"},
                    {"text", "whether hosts share processors is not clear: " + found.unclear +
                                 (kept ? "; what was known of it is kept" : "")}});
    }

    // On hosts that are known already, again with each new one: all must take part.
    void find_rails() {
        const bool fresh = is_fresh();
        if (!fresh) profile_.rails = known_->rails;
        if (!fresh || profile_.hosts.size() < 2) return;
        const Seconds before = spent();
        show_later(LaterSteps::nics)(0, "NICs");
        profile_.rails = measure_rails(
            profile_.hosts, profile_.levels, leader_, not_joining_, workers_, options_.all_pairs,
            time_for_rails(profile_.hosts.size(), options_.all_pairs, left_()),
            [&](double done, const std::string& what) {
                // Nobody knew before how many there are.
                show_step(before, 0, std::max(done, 0.05), later().left(LaterSteps::multicast, 0),
                          what);
            });
    }

    // As rails.
    void find_mcast() {
        const bool fresh = is_fresh();
        if (!fresh && options_.multicast) profile_.mcast = known_->mcast;
        if (!fresh && profile_.mcast)
            profile_.mcast->areas =
                carried_over(profile_.mcast->areas, known_->levels, profile_.levels);
        if (!fresh || profile_.hosts.size() < 2 || !options_.multicast) return;
        profile_.mcast = measure_mcast(profile_, leader_, not_joining_, for_mcast * left_(),
                                       show_later(LaterSteps::multicast));
    }

    Seconds spent() const { return since(start_); }

    // With a budget the clock says what is done. A check (`eco doctor`) predicts nothing.
    LaterSteps later() const {
        if (options_.tune) return {};
        return {profile_, options_.multicast, predicting_};
    }

    void show_left(Seconds left, const std::string& what) {
        progress_.update(share_ * std::min(0.99, spent() / (spent() + left)), what);
    }

    // A step began at `before`, takes `least` at least, and is done by this much; what follows
    // takes `after`.
    void show_step(Seconds before, Seconds least, double done, Seconds after,
                   const std::string& what) {
        const Seconds spent_on_it = spent() - before;
        show_left(std::max(0.0, std::max(least, spent_on_it / done) - spent_on_it) + after, what);
    }

    // For a step that begins now and knows no share that is done.
    Show show_later(LaterSteps::Step step) {
        return [this, step, before = spent(), later = later()](double, const std::string& what) {
            show_left(later.left(step, spent() - before), what);
        };
    }

    const Native& mpi_ = native();
    const Options& options_;
    const std::optional<Profile>& known_;
    Notes& notes_;
    const std::string& kept_;
    const std::set<std::string>& not_joining_;
    Progress& progress_;
    double share_;
    const std::function<Seconds()>& left_;
    Seconds predicting_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    WorkerPool workers_;
    Profile profile_;
    std::vector<int> leader_;      // per host its first rank
    std::vector<Hint> hints_;      // per host
    std::vector<Medium> uplinks_;  // of clusters found by them
    std::vector<NicBytes> heard_;  // per host, the mean
};

}  // namespace

Profile measure(const Options& options, const std::optional<Profile>& known, Notes& notes,
                const std::string& kept, const std::set<std::string>& not_joining,
                Progress& progress, double share_of_progress, const std::function<Seconds()>& left,
                Seconds predicting) {
    return Measuring(options, known, notes, kept, not_joining, progress, share_of_progress, left,
                     predicting)
        .run();
}

}  // namespace eco
