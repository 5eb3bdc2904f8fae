// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/session.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <thread>
#include <utility>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/base/say.h"
#include "eco/job/asks.h"
#include "eco/job/communicator.h"
#include "eco/job/job_report.h"
#include "eco/job/native_inside.h"
#include "eco/job/pending_calls.h"
#include "eco/job/persistent_calls.h"
#include "eco/job/stall_warning.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/mpi/own_self.h"
#include "eco/mpi/process_failure.h"
#include "eco/mpi/quiet.h"
#include "eco/planners/choice_text.h"
#include "eco/topology/build_network.h"

namespace eco {

namespace {

// Not freed at exit, where it may be a forked child's that ends.
Session* current = nullptr;

std::atomic<bool> expected = false;  // MPI is initialised, and nobody has met
bool gives_settings = false;         // it is rank 0
std::atomic<bool> nonblocking_before = false;

// Rank 0's. Made when first asked for, as a library's constructor may begin MPI before any of
// ECO's has run.
Settings& settings_of_start() {
    static auto& settings = *new Settings;
    return settings;
}

int do_not_copy_attribute(MPI_Comm, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

int drop_communicator(MPI_Comm, int, void* attribute, void*) {
    forget(attribute);
    return MPI_SUCCESS;
}

}  // namespace

Session* session() { return current; }

void complain_once(const std::string& why) {
    Session* here = session();
    if (!here || here->world_rank != 0) return;
    const std::lock_guard lock(here->mutex);
    if (!here->complained) say(why);
    here->complained = true;
}

bool can_predict() {
    const Profile& profile = session()->profile;
    return profile.model ? profile.model->knows_transfers() : !profile.minimum.empty();
}

const Network& network() {
    Session& here = *session();
    const std::lock_guard lock(here.building_network);
    if (!here.network) here.network = build_network(here.profile);
    return *here.network;
}

std::string library_name() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    native().Get_library_version(version, &length);
    const std::string text(version);
    // "Open MPI v5.0.11, package: …", "MPICH Version:      5.0.2\n…".
    const auto digit = std::min(text.find_first_of("0123456789"), text.size());
    return std::string(ECO_FAMILY) + " " +
           text.substr(digit, text.find_first_not_of("0123456789.", digit) - digit);
}

void note_nonblocking_before_session() { nonblocking_before = true; }

bool can_progress_asynchronously(const Choice& choice) {
    return !choice.is_native() && !choice.is_mcast() && !choice.native_inside() &&
           choice.rails == 0;
}

// Null if all choices of the profile can progress asynchronously.
static std::unique_ptr<Chooser> make_asynchronous_chooser(const Session& session,
                                                          const std::string& library) {
    Profile profile = session.profile;
    Settings settings = session.settings;
    const auto dropped = std::erase_if(profile.tuning, [](const Tuned& tuned) {
        try {
            const Choice choice = parse_choice(tuned.choice);
            return !choice.is_native() && !can_progress_asynchronously(choice);
        } catch (const Error&) {
            return true;
        }
    });
    if (dropped == 0) return nullptr;
    return std::make_unique<Chooser>(profile, settings, library);
}

// What a rank needs of the library: asked for before the ranks say what they know, so that a
// failure is known to all.
struct OfLibrary {
    MPI_Group world{};
    int keyval = MPI_KEYVAL_INVALID;
    std::string failure;

    OfLibrary() {
        const Native& mpi = native();
        const auto check = [this](int code, const char* name) {
            if (code != MPI_SUCCESS && failure.empty())
                failure = std::string(name) + " failed (" + text_of_error(code) + ")";
        };
        check(mpi.Comm_group(mpi.comm_world, &world), "MPI_Comm_group");
        check(mpi.Comm_create_keyval(do_not_copy_attribute, drop_communicator, &keyval, nullptr),
              "MPI_Comm_create_keyval");
    }
    void free() {
        if (!failure.empty()) return;
        native().Group_free(&world);
        native().Comm_free_keyval(&keyval);
    }
};

// What is left once all know the same; rails and multicasts are collective.
static void begin(const Settings& settings, Profile profile, Whereabouts where,
                  const OfLibrary& of_library, bool with_rails, bool with_mcast,
                  const std::string& library) {
    const Native& mpi = native();
    auto fresh = std::make_unique<Session>();
    mpi.Comm_rank(mpi.comm_world, &fresh->world_rank);
    set_rank_of_checks(fresh->world_rank);
    fresh->settings = settings;
    fresh->library = library;
    fresh->profile = std::move(profile);
    fresh->where = std::move(where);
    if (!may_split_hidden(fresh->where)) leave_out_native_inside(fresh->profile, fresh->settings);
    fresh->predictor = std::make_unique<HostsPredictor>(
        [] { return can_predict() ? &network() : nullptr; }, fresh->profile);
    fresh->chooser =
        std::make_unique<Chooser>(fresh->profile, fresh->settings, library, fresh->predictor.get());
    fresh->world_group = of_library.world;
    fresh->keyval = of_library.keyval;
    if (fresh->world_rank == 0)
        for (const auto& complaint : fresh->settings.complaints) say(complaint);
    const auto& host_of = fresh->where.host_of;
    const auto missing = std::count(host_of.begin(), host_of.end(), -1);
    if (with_rails) fresh->rails = open_rails(*fresh);
    if (with_mcast) fresh->mcast = open_mcast(*fresh);
    // Then nobody plans with it. Where ECO is off, nobody plans, and a report says what would run.
    if (!fresh->mcast.channel && settings.enabled) fresh->profile.mcast.reset();
    fresh->nonblocking_before_it = nonblocking_before;
    if (settings.nonblocking != Nonblocking::off)
        fresh->asynchronous_chooser = make_asynchronous_chooser(*fresh, library);
    const std::size_t ranks = host_of.size();
    current = fresh.release();
    if (missing > 0)
        complain_once(std::to_string(missing) + " of " + std::to_string(ranks) +
                      " ranks are on hosts that are not in the profile" +
                      (settings.profile.empty() ? "" : " " + settings.profile) +
                      ", so collectives with them are native; " +
                      what_names_host("'eco measure' adds these hosts"));
}

void begin_session(const Settings& settings, const Profile& profile, bool with_rails,
                   const std::string& library) {
    OfLibrary of_library;
    auto where = share_whereabouts(profile, of_library.failure);
    if (!where) return of_library.free();
    const bool with_mcast = settings.multicast && profile.mcast && !profile.mcast->areas.empty();
    begin(settings, profile, std::move(*where), of_library, with_rails, with_mcast, library);
}

static void begin_session() {
    const Seconds began = Clocks::own();
    OfLibrary of_library;
    auto shared = share(settings_of_start(), library_name(), of_library.failure);
    if (!shared) return of_library.free();
    const bool with_rails = may_use_rails(shared->settings, shared->profile);
    const bool with_mcast = may_use_mcast(shared->settings, shared->profile);
    begin(shared->settings, std::move(shared->profile), std::move(shared->where), of_library,
          with_rails, with_mcast, shared->library);
    current->learned = std::move(shared->learned);
    current->whole = std::move(shared->whole);
    current->began = began;
    current->shared = Clocks::own();
    if (current->settings.reports()) align_report_clocks();
}

void abort_job(Code code) {
    // MPICH's launcher drops what a process wrote just before it asked for the end.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    native().Abort(native().comm_world, static_cast<int>(code));
}

// Other ranks have begun, or will: this one cannot stay behind. Needs no memory.
[[noreturn]] static void end_job_for(const char* why) {
    const Native& mpi = native();
    int rank = 0;
    mpi.Comm_rank(mpi.comm_world, &rank);
    std::fprintf(stderr, "eco: rank %d: %s while ECO begins or ends; the job ends\n", rank, why);
    abort_job(Code::environment);
    std::abort();
}

[[noreturn]] static void end_job() { end_job_for("out of memory"); }

// While one lives, memory that is short ends the job before anything is thrown: JSON values need
// some to be destroyed. No other thread is in ECO then.
class AbortOnOutOfMemory {
public:
    AbortOnOutOfMemory() : before_(std::set_new_handler(end_job)) {}
    ~AbortOnOutOfMemory() { std::set_new_handler(before_); }
    AbortOnOutOfMemory(const AbortOnOutOfMemory&) = delete;
    AbortOnOutOfMemory& operator=(const AbortOnOutOfMemory&) = delete;

private:
    std::new_handler before_;
};

static void expect(int rank, bool at_once) {
    gives_settings = rank == 0;
    if (gives_settings) {
        settings_of_start() = read_settings();
        // The program may change its folder.
        char folder[PATH_MAX];
        for (std::string* path : {&settings_of_start().profile, &settings_of_start().report})
            if (!path->empty() && path->front() != '/' && getcwd(folder, sizeof folder))
                *path = std::string(folder) + "/" + *path;
        if (const std::string behind = wrapper_behind(); !behind.empty())
            say(behind + " wraps MPI functions, but comes after ECO and sees no calls; name it " +
                "first in LD_PRELOAD");
    }
    const bool nonblocking = names_nonblocking();
    const bool later = begins_later();
    // A non-blocking call before the session leaves no mark. So that ranks which make it before and
    // after agree, each communicator is then prepared from its beginning.
    if ((nonblocking || later) && settings_of_start().nonblocking == Nonblocking::on)
        settings_of_start().nonblocking = Nonblocking::expected;
    expected = true;
    note_start_for_report();
    if (!at_once && (later || !(nonblocking || needs_session_at_init()))) return;
    const StallWarning waits(rank, at_once);
    ensure_session(native().comm_world);
}

void expect_session(bool threads_multiple) noexcept {
    const Native& mpi = native();
    int rank = 0, ranks = 0;
    if (mpi.Comm_rank(mpi.comm_world, &rank) != MPI_SUCCESS ||
        mpi.Comm_size(mpi.comm_world, &ranks) != MPI_SUCCESS || ranks == 1)
        return;
    const AbortOnOutOfMemory must;
    expect(rank, threads_multiple);
}

void ensure_session(MPI_Comm comm) noexcept {
    if (!expected || comm != native().comm_world) return;
    expected = false;
    const AbortOnOutOfMemory must;
    // The program's handler must not be told of a failure that native calls would not have had.
    const Quiet quiet(comm);
    try {
        // Not earlier: MPI_Init is as quick as it was, and more libraries are loaded now.
        if (gives_settings && settings_of_start().nonblocking == Nonblocking::on &&
            libraries_name_nonblocking())
            settings_of_start().nonblocking = Nonblocking::expected;
        begin_session();
        if (!current || current->settings.nonblocking != Nonblocking::expected) return;
        Communicator* world = known_communicator(comm);
        if (world && world->wants_nonblocking()) world->settle_nonblocking();
    } catch (const MpiError& error) {
        // The library tells all ranks that a process has failed, in the calls to come.
        if (!says_that_a_process_failed(error.code)) end_job_for(text_of_error(error.code).c_str());
    } catch (const std::exception& error) {
        end_job_for(error.what());
    }
}

// Ranks may have their communicators in any order. One that has lost a communicator may know
// something else of it than the others: then nothing is exchanged.
static void exchange_last_times() {
    const Native& mpi = native();
    // Also one that is lost here: the others ask it.
    const Communicator* world = placed_communicator(mpi.comm_world);
    if (!world || !world->has_times()) return;
    const auto communicators = current->communicators;
    int fine = std::none_of(communicators.begin(), communicators.end(),
                            [](const Communicator* each) { return each->failed(); });
    int all = 0;
    if (mpi.Allreduce(&fine, &all, 1, mpi.int32, mpi.min, world->hidden()) != MPI_SUCCESS || !all)
        return;
    for (Communicator* each : communicators)
        if (each->has_times()) each->begin_last_exchange();
    for (Communicator* each : communicators) each->end_last_exchange();
}

static void end() {
    const bool nobody_met = expected.exchange(false);
    if (!current) {
        if (nobody_met) give_report(settings_of_start());
        return;
    }
    if (current->settings.learn >= Learn::on) exchange_last_times();
    end_pending();
    end_persistent();
    free_drained();
    const auto communicators = current->communicators;
    // All at once: others may have them in another order.
    const auto sends = [](Communicator* communicator) {
        return communicator->drain_acknowledgements();
    };
    while (std::count_if(communicators.begin(), communicators.end(), sends) > 0) sched_yield();
    // Collective: nobody who is late waits for this rank any more.
    if (current->settings.verbose > 0 && current->mcast.channel) report_mcast(*current);
    if (current->settings.reports()) collect_report();
    // Others than before: the report has freed what outlived its communicator.
    for (Communicator* communicator : current->communicators) communicator->release();
    if (current->world_rank == 0) give_report(current->settings);
    if (current->world_rank == 0 && current->settings.learn >= Learn::on)
        keep_results(std::move(current->results));
}

void end_session() noexcept {
    try {
        const AbortOnOutOfMemory must;
        end();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: %s\n", error.what());
    }
    const std::unique_ptr<Session> last(std::exchange(current, nullptr));
    if (!last) return;
    const Native& mpi = native();
    mpi.Group_free(&last->world_group);
    // What communicators still hold of it goes with them.
    mpi.Comm_free_keyval(&last->keyval);
    free_own_self();
    // Other ranks of this host receive by this one's membership until they end as well.
    static const McastChannel* const kept = last->mcast.channel.release();
    static_cast<void>(kept);
    // Until here a peer may have needed this process to take what comes over its rails.
    if (last->rails.open) mpi.Barrier(mpi.comm_world);
}

}  // namespace eco
