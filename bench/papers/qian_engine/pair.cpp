// SPDX-License-Identifier: BSD-3-Clause
// Messages between the first two ranks, through the MPI library and over rails: one way, there and
// back, both ways at once (Qian and Afsahi, §4). Runs under a launcher, for ../qian.py:
//
//     pair-openmpi --profile - [--sizes LIST] [--patterns LIST] [--repeats N]
//
// The profile is rank 0's standard input. A pattern is `native`, or `rails-N` for N rails at most;
// they are interleaved. Rank 0 prints an event, as the probe's (eco/measure/protocol.h), for each
// kind of traffic and size: seconds per message and direction.

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/base/run_main.h"
#include "eco/base/text.h"
#include "eco/measure/messages.h"
#include "eco/measure/options.h"
#include "eco/measure/protocol.h"
#include "eco/measure/same_build.h"
#include "eco/measure/since.h"
#include "eco/measure/start.h"
#include "eco/measure/trial.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/transport/rail_transport.h"

namespace eco {

namespace {

enum class Traffic { one_way, there_and_back, both_ways };
constexpr std::array<std::pair<Traffic, const char*>, 3> kinds{
    {{Traffic::one_way, "one-way"},
     {Traffic::there_and_back, "there-and-back"},
     {Traffic::both_ways, "both-ways"}}};

constexpr int in_flight = 4;                // messages of one direction
constexpr Bytes bytes_of_sample = 8 << 20;  // each direction, at most
constexpr int most_messages = 64, least_messages = 2;
enum PairTag { message_tag = 21, end_tag };

// One side of the traffic, over one transport.
class Side {
public:
    Side(Transport& wire, Bytes bytes, Rank peer)
        : wire_(wire), bytes_(bytes), peer_(peer), out_(at(bytes)), in_(in_flight * at(bytes)) {}

    void run(Traffic traffic, bool first, int messages) {
        switch (traffic) {
            case Traffic::one_way:
                if (first) {
                    move(messages, 0);
                    hear_of_end();
                } else {
                    move(0, messages);
                    tell_of_end();
                }
                return;
            case Traffic::there_and_back:
                for (int trip = 0; trip < messages; ++trip) {
                    // The answer is awaited before what it answers is sent, as schedules do.
                    if (first) {
                        move(1, 1);
                        continue;
                    }
                    if (trip == 0) expect();
                    while (arrived_ <= trip) wait();
                    if (trip + 1 < messages) expect();
                    move(1, 0);
                }
                return;
            case Traffic::both_ways:
                move(messages, messages);
                return;
        }
    }

private:
    static constexpr int departure = in_flight, word = in_flight + 1;  // ids; below: arrivals

    // Sends and receives so many, some of each under way at once.
    void move(int sends, int receives) {
        const int last = arrived_ + receives;
        while (expected_ < last && expected_ - arrived_ < in_flight) expect();
        while (sends > 0 || leaving_ > 0 || arrived_ < last) {
            for (; sends > 0 && leaving_ < in_flight; --sends, ++leaving_)
                wire_.send(departure, out_.data(), bytes_, peer_, message_tag);
            wait();
            while (expected_ < last && expected_ - arrived_ < in_flight) expect();
        }
    }
    void expect() {
        const int place = expected_++ % in_flight;
        wire_.recv(place, in_.data() + place * bytes_, bytes_, peer_, message_tag);
    }
    void hear_of_end() {
        wire_.recv(word, nullptr, 0, peer_, end_tag);
        while (!ended_) wait();
    }
    void tell_of_end() {
        wire_.send(departure, nullptr, 0, peer_, end_tag);
        ++leaving_;
        while (leaving_ > 0) wait();
    }
    void wait() {
        std::vector<int> ended;
        wire_.wait(ended);
        for (const int id : ended) {
            if (id == departure)
                --leaving_;
            else if (id == word)
                ended_ = true;
            else
                ++arrived_;
        }
    }

    Transport& wire_;
    Bytes bytes_;
    Rank peer_;
    std::vector<std::byte> out_, in_;
    int expected_ = 0, arrived_ = 0, leaving_ = 0;
    bool ended_ = false;
};

struct Means {
    std::string pattern;
    int rails;  // 0: the MPI library's own messages
    std::vector<Seconds> samples;
};

int rails_of(const std::string& pattern) {
    if (pattern == "native") return 0;
    int rails = 0;
    const std::string start = "rails-";
    if (pattern.starts_with(start))
        std::from_chars(pattern.data() + start.size(), pattern.data() + pattern.size(), rails);
    if (rails < 1 || pattern != start + std::to_string(rails))
        throw Error(Code::usage, "--patterns " + pattern + ": must be native or rails-N");
    if (!session()->rails.open)
        throw Error(Code::environment, pattern + " needs rails, and these hosts have none");
    return rails;
}

class PairTiming {
public:
    PairTiming() : start_(native().comm_world), rank_(session()->world_rank) {
        context_.world.resize(session()->where.host_of.size());
        std::iota(context_.world.begin(), context_.world.end(), 0);
        if (context_.world.size() < 2) throw Error(Code::launch, "timing messages needs two ranks");
    }

    // One round of all means in another order each time; the seconds of a message are added to
    // each one's samples. Collective.
    void round(Traffic traffic, Bytes bytes, std::vector<Means>& means, bool counts) {
        const auto messages = static_cast<int>(
            std::clamp<Bytes>(bytes_of_sample / bytes, least_messages, most_messages));
        std::vector<Seconds> now(means.size());
        for (std::size_t i = 0; i < means.size(); ++i) {
            const std::size_t turn = (i + static_cast<std::size_t>(rounds_)) % means.size();
            const auto began = start_.together();
            if (rank_ < 2) run(traffic, bytes, messages, means[turn].rails);
            now[turn] = since(began) / messages;
        }
        ++rounds_;
        now = slowest(now, start_.comm());
        if (!counts) return;
        const double ways = traffic == Traffic::there_and_back ? 2 : 1;
        for (std::size_t i = 0; i < means.size(); ++i) means[i].samples.push_back(now[i] / ways);
    }

private:
    void run(Traffic traffic, Bytes bytes, int messages, int rails) const {
        MpiTransport mpi(native().comm_world);
        if (rails == 0) return Side(mpi, bytes, 1 - rank_).run(traffic, rank_ == 0, messages);
        RailTransport wire(*session()->rails.messages, context_, rails, mpi);
        Side(wire, bytes, 1 - rank_).run(traffic, rank_ == 0, messages);
    }

    Start start_;
    int rank_;
    int rounds_ = 0;
    RailContext context_;
};

void time_pair(const Options& options, Progress& progress) {
    const auto sizes = options.sizes.empty() ? std::vector<Bytes>{1 << 20} : options.sizes;
    const int repeats = options.repeats > 0 ? options.repeats : 5;
    std::vector<Means> means;
    for (const auto& pattern : options.patterns) means.push_back({pattern, rails_of(pattern), {}});
    if (means.empty()) means.push_back({"native", 0, {}});
    PairTiming timing;
    double done = 0;
    for (const auto& [traffic, name] : kinds)
        for (const Bytes bytes : sizes) {
            progress.update(done, std::string(name) + " " + std::to_string(bytes) + " B");
            done += 1.0 / static_cast<double>(kinds.size() * sizes.size());
            for (Means& each : means) each.samples.clear();
            // Round 0 makes connections and is not counted.
            for (int round = 0; round <= repeats; ++round)
                timing.round(traffic, bytes, means, round > 0);
            nlohmann::json rows = nlohmann::json::array();
            for (const Means& each : means)
                rows.push_back({{"pattern", each.pattern},
                                {"median", median(each.samples)},
                                {"samples", each.samples}});
            if (session()->world_rank == 0)
                send_event(
                    {{"event", "result"}, {"traffic", name}, {"bytes", bytes}, {"patterns", rows}});
        }
    progress.update(1.0, "done");
}

// Rank 0's standard input on all ranks.
std::string shared_input(int rank) {
    const Native& mpi = native();
    std::string text;
    if (rank == 0)
        for (std::string line; !(line = read_line(stdin)).empty();) text += line + '\n';
    auto length = static_cast<int>(text.size());
    check_mpi(mpi.Bcast(&length, 1, mpi.int32, 0, mpi.comm_world));
    text.resize(at(length));
    check_mpi(mpi.Bcast(text.data(), length, mpi.byte, 0, mpi.comm_world));
    return text;
}

int main_with(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");  // whose options these are
    const Options options = parse_options(arguments);
    open_native(ECO_LIBRARY);
    const Native& mpi = native();
    if (mpi.Init(nullptr, nullptr) != MPI_SUCCESS)
        throw Error(Code::launch, "MPI_Init failed; use the launcher of " ECO_LIBRARY);
    int rank = 0;
    mpi.Comm_rank(mpi.comm_world, &rank);
    try {
        check_same_build();
        Settings settings = read_settings();
        settings.learn = Learn::off;
        const Profile profile = parse_profile(shared_input(rank), "the profile");
        begin_session(settings, profile, profile.rails && profile.rails->most > 1);
        Progress progress(rank == 0);
        time_pair(options, progress);
    } catch (const Error& error) {
        if (rank == 0) send_event({{"event", "error"}, {"message", error.what()}});
        abort_job(error.code());
    }
    end_session();
    mpi.Finalize();
    return 0;
}

}  // namespace

}  // namespace eco

int main(int count, char** words) {
    return eco::run_main([&] { return eco::main_with({words + 1, words + count}); });
}
