// SPDX-License-Identifier: BSD-3-Clause
// eco-probe: measures, tunes and benches under any launcher. Once for each MPI ABI, in its
// preload object; the library is loaded, not linked, so that it is the one of the launcher at hand.
// Rank 0 takes from its standard input a line with what an earlier run kept, then a profile up to
// an empty line, as options say, and gives its results as lines of its standard output
// (protocol.h).
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "eco/base/error.h"
#include "eco/base/run_main.h"
#include "eco/base/text.h"
#include "eco/measure/bench.h"
#include "eco/measure/check_collectives.h"
#include "eco/measure/check_links.h"
#include "eco/measure/check_uplinks.h"
#include "eco/measure/host_facts.h"
#include "eco/measure/interface_settings.h"
#include "eco/measure/joined_networks.h"
#include "eco/measure/later_steps.h"
#include "eco/measure/look_again.h"
#include "eco/measure/measure.h"
#include "eco/measure/messages.h"
#include "eco/measure/same_build.h"
#include "eco/measure/shared_hosts.h"
#include "eco/measure/tune.h"
#include "eco/measure/within_budget.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

namespace {

void open_library(const Options& options) {
    const std::string family = ECO_FAMILY;
    const char* named = std::getenv("ECO_LIBMPI");
    if (!options.libmpi.empty()) return open_native(options.libmpi.c_str());
    if (named && *named && family != "abi") return open_native(named);
    if (family == "openmpi") return open_native("libmpi.so.40");
    if (family == "abi") return open_native("libmpi_abi.so.1");
    try {
        open_native("libmpi.so.12");
    } catch (const Error&) {
        open_native("libmpich.so.12");
    }
}

// What is handed over is written before the launcher starts.
constexpr std::chrono::milliseconds longest_wait_for_input{20'000};

constexpr const char* no_input =
    "the launcher passes no standard input on to rank 0 (podman run and docker run need -i)";

// Whether something comes, or the end. After a signal it waits anew.
bool does_input_come() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    int found = -1;
    do found = poll(&input, 1, static_cast<int>(longest_wait_for_input.count()));
    while (found < 0 && errno == EINTR);
    return found != 0;
}

// Open MPI 5's launcher does not always bring the end of standard input.
std::string read_to_empty_line(std::FILE* file) {
    std::string text;
    for (std::string line; !(line = read_line(file)).empty();) text += line + '\n';
    return text;
}

// From rank 0 to all; empty text where it has none.
std::string share(std::string text) {
    const Native& mpi = native();
    auto length = static_cast<int>(text.size());
    check_mpi(mpi.Bcast(&length, 1, mpi.int32, 0, mpi.comm_world));
    text.resize(static_cast<std::size_t>(length));
    check_mpi(mpi.Bcast(text.data(), length, mpi.byte, 0, mpi.comm_world));
    return text;
}

// Rank 0's, which alone is whole.
Profile share(const Profile& profile, Rank me) {
    return parse_profile(share(me == 0 ? to_json(profile) : std::string()), "profile");
}

bool same_calls(const Tuned& one, const Tuned& two) {
    return one.mpi == two.mpi && one.operation == two.operation && one.layout == two.layout &&
           one.bytes == two.bytes && (one.ranks_per_host > 1) == (two.ranks_per_host > 1) &&
           one.structure == two.structure;
}

// What was timed or predicted now replaces what was known of the same.
void merge(std::vector<Tuned>& known, const std::vector<Tuned>& fresh) {
    std::erase_if(known, [&](const Tuned& old) {
        return std::any_of(fresh.begin(), fresh.end(),
                           [&](const Tuned& entry) { return same_calls(entry, old); });
    });
    known.insert(known.end(), fresh.begin(), fresh.end());
}

// What no tuning has timed; earlier predictions were of an earlier model.
void predict(Profile& profile, Forecaster& forecaster, Progress& progress,
             Forecaster::Clock::time_point until = Forecaster::Clock::time_point::max()) {
    std::erase_if(profile.tuning, for_any_library);
    merge(profile.tuning, forecaster.entries(progress, until));
}

bool has_rails(const Profile& profile) { return profile.rails && profile.rails->most > 1; }

// For predictions alone; on many hosts a few calls of each kind are simulated in it.
constexpr std::chrono::seconds most_predicting{10};
// Of the time that is given for it and for measuring; more if measuring has taken less.
constexpr double for_predictions = 0.25;

Deadline::Clock::duration to_clock(Seconds time) {
    return std::chrono::duration_cast<Deadline::Clock::duration>(
        std::chrono::duration<double>(time));
}

// At most, where nothing is timed. What is checked (`eco doctor`) is not predicted.
Seconds predicting_within(const Options& options) {
    if (options.tune || options.facts) return 0;
    const Seconds most = std::chrono::duration<double>(most_predicting).count();
    return options.within > 0 ? std::min(most, for_predictions * options.within) : most;
}

// Of the budget, for predicting what is not timed: other ranks on a host, longer messages.
constexpr double for_other_calls = 0.15;

// Chooses until `end`; begins a session. measured_in: the network was measured now, and so many
// seconds of the budget were over then: what the profile held before is of an earlier measurement.
// Else what was timed stays if there is no time to time it again.
void choose_until(Deadline::Clock::time_point end, const Options& options, Settings settings,
                  std::optional<Seconds> measured_in, Profile& profile, Forecaster& forecaster,
                  Progress& progress) {
    settings.choice = "auto";
    begin_session(settings, profile, has_rails(profile));
    const auto left = end - Deadline::Clock::now();
    const Deadline deadline(
        end - std::chrono::duration_cast<Deadline::Clock::duration>(for_other_calls * left));
    Chosen chosen = choose_within(options, forecaster, progress, deadline);
    if (measured_in) {
        merge(profile.tuning, chosen.entries);
        predict(profile, forecaster, progress, end);
    } else {
        std::erase_if(chosen.entries, [&](const Tuned& fresh) {
            return fresh.predicted &&
                   std::any_of(profile.tuning.begin(), profile.tuning.end(), [&](const Tuned& old) {
                       return !old.predicted && same_calls(old, fresh);
                   });
        });
        merge(profile.tuning, chosen.entries);
        merge(profile.tuning, forecaster.entries(progress, end));
    }
    for (Tuned& entry : profile.tuning) {
        const PredictionError& error = chosen.errors.of(entry.bytes);
        if (for_any_library(entry) && error.known() && error.clear_gain > 0)
            entry.noise = std::max(0.01, error.clear_gain - 1);
    }
    const bool on_shared_hosts =
        std::any_of(chosen.entries.begin(), chosen.entries.end(),
                    [](const Tuned& entry) { return entry.ranks_per_host > 1; });
    if (!on_shared_hosts)
        merge(profile.tuning,
              choices_on_shared_hosts(profile.tuning, library_name(), chosen.errors));
    if (session()->world_rank != 0) return;
    nlohmann::json event{{"event", "chosen"},
                         {"timed", chosen.timed},
                         {"predicted", chosen.predicted},
                         {"open", chosen.open}};
    if (measured_in) event["network"] = *measured_in;
    send_event(event);
}

// Of `eco doctor`: not to take long is worth more than to see all. Where the network took most of a
// minute, a few calls of the least size must do. Starts take about as long as the calls.
constexpr Seconds least_for_collectives = 2, most_for_collectives = 10;
constexpr std::chrono::seconds for_all_checks{57};

// Of all work, what comes before them: more where more pairs are measured. By ranks, as nobody
// knows the hosts yet.
double before_collectives() {
    int ranks = 0;
    native().Comm_size(native().comm_world, &ranks);
    return std::min(0.2 + 0.01 * ranks, 0.8);
}

// Begins a session. began: on rank 0, all checks; done: as time_collectives.
void tell_collectives(const Profile& profile, Settings settings, double done, Progress& progress,
                      Deadline::Clock::time_point began) {
    settings.choice = "native";
    begin_session(settings, profile, false);
    if (!session()) return;  // MPI failed
    const Seconds left = Deadline(began + for_all_checks).left();
    const nlohmann::json times = time_collectives(
        std::clamp(left / 2, least_for_collectives, most_for_collectives), done, progress);
    if (session()->world_rank == 0) send_event({{"event", "collectives"}, {"collectives", times}});
}

void send_profile(const Profile& profile, const Notes& notes, const char* event = "profile") {
    auto document = nlohmann::json::parse(to_json(profile));
    put_notes(notes, document);
    send_event({{"event", event}, {"profile", std::move(document)}});
}

// For what ends before choices were made. Earlier ones are of another measurement.
void send_network(Profile profile, const Notes& notes) {
    profile.tuning.clear();
    send_profile(profile, notes, "network");
}

// Ending all ranks and their launcher, and what `eco` does then, take so much of what starting took
// (64 hosts of the lab: 2 of 6.3 s).
constexpr double end_of_launch = 0.6;

// Since the launcher was started; 0 if the clocks of its host and of this one differ too much.
Seconds spent_launching(double launched) {
    constexpr Seconds most = 20;
    const Seconds now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    const Seconds spent = now - launched;
    return spent > 0 && spent < most ? spent : 0;
}

// Before any other message. What ranks have told of their hosts comes first.
void check_builds(const Options& options) {
    try {
        check_same_build();
    } catch (const Error&) {
        if (options.facts) std::this_thread::sleep_for(std::chrono::milliseconds(500));
        throw;
    }
}

// Before MPI_Init, which reads them.
void set_interfaces(const Options& options) {
    if (options.interfaces.empty()) return;
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    native().Get_library_version(version.data(), &length);
    for (const auto& [name, value] :
         interface_settings(options.interfaces, version.data(), ip_addresses()))
        if (value.empty())
            unsetenv(name.c_str());
        else
            setenv(name.c_str(), value.c_str(), 1);
}

// own_share: of a processor, of `eco doctor`.
void run(const Options& options, int rank, double own_share) {
    const auto began = Deadline::Clock::now();
    const Seconds within =
        std::max(0.0, options.within - (1 + end_of_launch) * spent_launching(options.launched));
    const auto end = began + to_clock(within);
    check_builds(options);
    const bool prints = rank == 0;
    Progress progress(prints);
    std::optional<Profile> known;
    Notes notes;
    std::string kept;
    const bool reads =
        prints && (options.partial_on_stdin || options.profile_on_stdin) && does_input_come();
    if (options.partial_on_stdin && reads) kept = read_line(stdin);
    if (options.partial_on_stdin && prints && kept.empty())
        send_event(
            {{"event", "note"},
             {"text", std::string("what an interrupted measurement kept does not arrive, and is "
                                  "measured again: ") +
                          no_input}});
    if (options.profile_on_stdin) {
        std::string text;
        if (reads) text = read_to_empty_line(stdin);
        text = share(text);
        if (text.empty())
            throw Error(
                Code::launch,
                std::string(no_input) +
                    ", so the profile that was measured before does not arrive" +
                    (options.verb == "measure" ? "; 'eco measure --again' measures without it"
                                               : ""));
        known = parse_profile(text, "the profile");
        notes = read_notes(text, *known, "the profile");
    }
    Settings settings = read_settings();
    // Launchers need not pass the environment on.
    settings.multicast = share(settings.multicast ? "on" : "") == "on";
    settings.verbose = 0;
    settings.report.clear();
    settings.learn = Learn::off;  // what is timed here is what it is said to be
    Profile profile;
    if (options.verb == "measure") {
        if (options.tune) progress.take(within);
        const std::set<std::string> not_joining = find_not_joining();
        // Where packets are lost, collectives take by chance what they take.
        const bool lossy = options.facts && check_links(not_joining);
        const bool collectives = options.collectives && !lossy;
        const double of_network = collectives ? before_collectives() : 1.0;
        const auto left = [&] {
            const std::chrono::duration<double> until_end = end - Deadline::Clock::now();
            if (options.within <= 0) return std::numeric_limits<Seconds>::infinity();
            return until_end.count() - (options.tune ? 0 : for_predictions * options.within);
        };
        const Seconds predicting = predicting_within(options);
        profile = measure(options, known, notes, kept, not_joining, progress, of_network, left,
                          predicting);
        if (options.facts) tell_counters(share_again(own_share));
        if (predicting > 0)
            progress.update_left(std::min(predicting, predicting_time(profile)), "sending");
        else
            progress.update(0.99 * of_network, "sending the result to all ranks");
        profile = share(profile, rank);
        const auto timed = [](const Tuned& entry) { return !entry.predicted; };
        const bool nothing_new =
            known && known->hosts == profile.hosts &&
            (std::any_of(known->tuning.begin(), known->tuning.end(), timed) ||
             (!options.tune && !known->tuning.empty() && known->levels == profile.levels));
        Forecaster forecaster(profile);
        if (options.tune && profile.hosts.size() > 1 && !nothing_new) {
            Options tuning = options;
            tuning.sizes.clear();
            if (prints) send_network(profile, notes);
            choose_until(end, tuning, settings, options.within - left(), profile, forecaster,
                         progress);
        } else if (!nothing_new && !options.facts) {  // what is checked here is never stored
            // Measuring may have taken less than its part.
            auto until = Forecaster::Clock::now() + to_clock(predicting);
            if (options.within > 0)
                until = std::max(until, std::min(end, Forecaster::Clock::now() + most_predicting));
            predict(profile, forecaster, progress, until);
        }
        if (collectives && profile.hosts.size() > 1)
            tell_collectives(profile, settings, of_network, progress, began);
        progress.update(1.0, "done");
    } else {
        if (!known)
            throw Error(Code::usage, "eco probe " + options.verb + " needs a profile: --profile -");
        if (prints) send_event({{"event", "contact"}});
        if (options.verb == "uplinks") {
            auto event = check_uplinks(*known, progress);
            event["event"] = "uplinks";
            if (prints) send_event(event);
            return;
        }
        profile = *known;
        if (options.verb == "tune" && options.within > 0) {
            Forecaster forecaster(profile);
            progress.take(within);
            choose_until(end, options, settings, std::nullopt, profile, forecaster, progress);
            progress.update(1.0, "done");
            if (prints) send_profile(profile, notes);
            return;
        }
        const bool named = std::any_of(
            options.patterns.begin(), options.patterns.end(),
            [](const std::string& text) { return text.find("rails=") != std::string::npos; });
        begin_session(settings, profile, named || has_rails(profile));
        if (options.verb == "bench") return bench(options, progress);
        Forecaster forecaster(profile);
        merge(profile.tuning, tune(options, forecaster, progress, 0.0));
        if (options.form == CallForm::blocking) predict(profile, forecaster, progress);
        progress.update(1.0, "done");
    }
    if (prints) send_profile(profile, notes);
}

int main_with(const std::vector<std::string>& arguments) {
    const Options options = parse_options(arguments);
    if (options.verb == "reach") {
        reach(hosts_of(options.hosts), static_cast<in_port_t>(options.port));
        return 0;
    }
    open_library(options);
    const Native& mpi = native();
    set_interfaces(options);
    // It may be that MPI_Init fails, or never returns.
    tell_start();
    if (mpi.Init(nullptr, nullptr) != MPI_SUCCESS)
        throw Error(Code::launch,
                    "MPI_Init failed; start the probe with the launcher of this library");
    int rank = 0;
    mpi.Comm_rank(mpi.comm_world, &rank);
    mpi.Comm_set_errhandler(mpi.comm_world, mpi.errors_return);
    int code = 0;
    const auto fail = [&](const char* message, int exit_code) {
        if (rank == 0) {
            send_event({{"event", "error"}, {"message", message}, {"code", exit_code}});
        } else {
            // Rank 0 says it better, if it fails as well.
            std::this_thread::sleep_for(std::chrono::seconds(1));
            std::fprintf(stderr, "eco: rank %d: %s\n", rank, message);
        }
        code = exit_code;
    };
    try {
        // Before any message: it may be that none gets through.
        const double own_share = options.facts ? tell_facts() : 0;
        run(options, rank, own_share);
        if (rank == 0) send_event({{"event", "done"}});
        sleep_until_rank_0_comes();
    } catch (const Error& error) {
        fail(error.what(), static_cast<int>(error.code()));
    } catch (const MpiError& error) {
        fail("an MPI function failed while measuring", static_cast<int>(Code::launch));
    } catch (const std::exception& error) {
        fail(error.what(), static_cast<int>(Code::environment));
    }
    // Others may wait for this rank forever. A launcher that aborts may drop what was printed last.
    if (code != 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        mpi.Abort(mpi.comm_world, code);
    }
    end_session();
    mpi.Finalize();
    return 0;
}

}  // namespace

}  // namespace eco

// Called by load_probe.cpp.
extern "C" __attribute__((visibility("default"))) int eco_probe_main(int count, char** words) {
    return eco::run_main([&] { return eco::main_with({words + 1, words + count}); });
}
