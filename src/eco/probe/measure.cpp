#include "eco/probe/measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>

#include "eco/base/error.h"
#include "eco/interpose/mpi_transport.h"
#include "eco/interpose/session.h"
#include "eco/topology/partition.h"

namespace eco {

namespace {

using Clock = std::chrono::steady_clock;

// Rank 0 tells a rank to time round trips with a partner, to answer them, or that all is done.
struct Order {
    int partner;  // -1: all is done
    int times;    // 1: this rank holds the clock
    int size_index;
};

enum Tag { order_tag = 1, ball_tag, result_tag };

class Measuring {
public:
    Measuring(const Options& options, const std::optional<Profile>& known, Progress& progress,
              double share)
        : options_(options), known_(known), progress_(progress), share_(share) {
        check_mpi(mpi_.Comm_rank(mpi_.comm_world, &rank_));
        check_mpi(mpi_.Comm_size(mpi_.comm_world, &ranks_));
    }

    Profile run() {
        find_hosts();
        set_parameters();
        if (rank_ == 0) {
            direct();
            derive_topology(profile_);
        } else {
            obey();
        }
        return profile_;
    }

private:
    void find_hosts() {
        const std::string own = processor_name();
        std::vector<char> name(MPI_MAX_PROCESSOR_NAME, 0), names(name.size() * size());
        std::copy(own.begin(), own.end(), name.begin());
        const int length = MPI_MAX_PROCESSOR_NAME;
        check_mpi(mpi_.Allgather(name.data(), length, mpi_.byte, names.data(), length, mpi_.byte,
                                 mpi_.comm_world));
        if (known_) {
            profile_.hosts = known_->hosts;
            speaker_.assign(profile_.hosts.size(), -1);
        }
        for (int rank = 0; rank < ranks_; ++rank) {
            const std::string host = names.data() + static_cast<std::size_t>(rank) * name.size();
            const auto found = std::find(profile_.hosts.begin(), profile_.hosts.end(), host);
            const auto index = static_cast<std::size_t>(found - profile_.hosts.begin());
            if (found == profile_.hosts.end()) {
                profile_.hosts.push_back(host);
                speaker_.push_back(rank);
            } else if (speaker_[index] < 0) {
                speaker_[index] = rank;
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

    // Rank 0's part.
    void direct() {
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
        std::vector<std::pair<int, int>> pairs;
        for (int a = 0; a < hosts; ++a)
            for (int b = std::max(a + 1, old); b < hosts; ++b) {
                if (speaker_[at(a)] < 0 || speaker_[at(b)] < 0)
                    throw Error(
                        Code::launch,
                        "host " + profile_.hosts[at(speaker_[at(a)] < 0 ? a : b)] +
                            " of the profile takes no part in this launch, so new hosts "
                            "cannot be measured against it; launch on all, or measure --again");
                pairs.emplace_back(a, b);
            }
        std::map<std::pair<int, std::size_t>, std::vector<Seconds>> samples;
        const double steps = static_cast<double>(pairs.size()) * profile_.repeats;
        double done = 0;
        for (int repeat = 0; repeat < profile_.repeats; ++repeat)
            for (std::size_t p = 0; p < pairs.size(); ++p) {
                const auto [a, b] = pairs[p];
                progress_.update(share_ * done++ / steps,
                                 profile_.hosts[at(a)] + " – " + profile_.hosts[at(b)]);
                for (std::size_t s = 0; s < profile_.sizes.size(); ++s) {
                    const auto times =
                        time_pair(speaker_[at(a)], speaker_[at(b)], static_cast<int>(s));
                    auto& all = samples[{static_cast<int>(p), s}];
                    all.insert(all.end(), times.begin(), times.end());
                }
            }
        for (auto& [key, times] : samples) {
            const auto [a, b] = pairs[at(key.first)];
            std::sort(times.begin(), times.end());
            const Seconds least = times.front(), median = times[times.size() / 2];
            profile_.minimum[key.second].set(a, b, least);
            profile_.spread[key.second].set(a, b, (median - least) / least);
        }
        for (int rank = 1; rank < ranks_; ++rank) order(rank, {-1, 0, 0});
    }

    void order(int rank, const Order& what) {
        check_mpi(mpi_.Send(&what, sizeof what, mpi_.byte, rank, order_tag, mpi_.comm_world));
    }

    std::vector<Seconds> time_pair(int clock, int other, int size_index) {
        order_or_do(other, {clock, 0, size_index});
        if (clock == 0) return play({other, 1, size_index});
        order(clock, {other, 1, size_index});
        if (other == 0) play({clock, 0, size_index});
        std::vector<Seconds> times(at(trips(size_index)));
        receive(times.data(), static_cast<Bytes>(times.size() * sizeof(Seconds)), clock,
                result_tag);
        return times;
    }
    void order_or_do(int rank, const Order& what) {
        if (rank != 0) order(rank, what);
    }

    // The other ranks' part.
    void obey() {
        while (true) {
            Order what{};
            receive(&what, sizeof what, 0, order_tag);
            if (what.partner < 0) return;
            const auto times = play(what);
            if (what.times)
                check_mpi(mpi_.Send(times.data(), static_cast<int>(times.size() * sizeof(Seconds)),
                                    mpi_.byte, 0, result_tag, mpi_.comm_world));
        }
    }

    // Half round trips, after one that is not counted.
    std::vector<Seconds> play(const Order& what) {
        const auto bytes = static_cast<int>(profile_.sizes[at(what.size_index)]);
        ball_.resize(static_cast<std::size_t>(bytes));
        std::vector<Seconds> times;
        for (int trip = 0; trip <= trips(what.size_index); ++trip) {
            const auto start = Clock::now();
            if (what.times) throw_ball(what.partner, bytes);
            check_mpi(mpi_.Recv(ball_.data(), bytes, mpi_.byte, what.partner, ball_tag,
                                mpi_.comm_world, MPI_STATUS_IGNORE));
            if (!what.times) throw_ball(what.partner, bytes);
            if (trip > 0)
                times.push_back(std::chrono::duration<double>(Clock::now() - start).count() / 2);
        }
        return times;
    }
    // Long messages vary less and cost more.
    int trips(int size_index) const {
        const bool is_long = profile_.sizes[at(size_index)] > profile_.partition_bytes;
        return is_long ? (options_.round_trips + 1) / 2 : options_.round_trips;
    }
    void throw_ball(int to, int bytes) {
        check_mpi(mpi_.Send(ball_.data(), bytes, mpi_.byte, to, ball_tag, mpi_.comm_world));
    }

    // Sleeps until the message is there: a rank that spins would slow the others of its host.
    void receive(void* data, Bytes bytes, int from, int tag) {
        int there = 0;
        while (true) {
            check_mpi(mpi_.Iprobe(from, tag, mpi_.comm_world, &there, MPI_STATUS_IGNORE));
            if (there) break;
            usleep(1000);
        }
        check_mpi(mpi_.Recv(data, static_cast<int>(bytes), mpi_.byte, from, tag, mpi_.comm_world,
                            MPI_STATUS_IGNORE));
    }

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    std::size_t size() const { return at(ranks_); }

    const Native& mpi_ = native();
    const Options& options_;
    const std::optional<Profile>& known_;
    Progress& progress_;
    double share_;
    int rank_ = 0, ranks_ = 0;
    Profile profile_;
    std::vector<int> speaker_;  // per host its first rank
    std::vector<char> ball_;
};

}  // namespace

Profile measure(const Options& options, const std::optional<Profile>& known, Progress& progress,
                double share_of_progress) {
    return Measuring(options, known, progress, share_of_progress).run();
}

}  // namespace eco
