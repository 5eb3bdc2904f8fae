#include "eco/interpose/session.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/interpose/communicator.h"
#include "eco/interpose/report.h"
#include "eco/topology/processors.h"

namespace eco {

namespace {

std::unique_ptr<Session> current;

// Rank 0: where this job's results go, and the network they are of.
std::string kept_at, kept_of;

// The newest profile in the store that knows this host.
std::string find_in_store(const std::string& host) {
    const std::string store = profile_store();
    std::string best;
    timespec newest{};
    DIR* folder = opendir(store.c_str());
    if (!folder) return best;
    while (const dirent* entry = readdir(folder)) {
        const std::string path = store + "/" + entry->d_name;
        struct stat status{};
        if (!path.ends_with(".json") || stat(path.c_str(), &status) != 0) continue;
        const auto later = [](const timespec& a, const timespec& b) {
            return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
        };
        if (!best.empty() && !later(status.st_mtim, newest)) continue;
        try {
            const auto hosts = read_profile(path).hosts;
            if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) continue;
        } catch (const Error&) {
            continue;  // another one may do
        }
        best = path;
        newest = status.st_mtim;
    }
    closedir(folder);
    return best;
}

void say(const std::string& line) { std::fprintf(stderr, "eco: %s\n", line.c_str()); }

// Of earlier jobs, with this library on this network; a file that cannot be read is as good as
// none.
nlohmann::json what_was_learned(Settings& settings, const std::string& profile_path,
                                const Profile& profile, const std::string& library) {
    if (settings.choice != "auto") settings.learn = Learn::off;
    if (settings.learn == Learn::off) return nlohmann::json::array();
    kept_at = learned_path(profile_path);
    try {
        auto classes = read_learned(kept_at, profile.created).classes;
        std::erase_if(classes, [&](const LearnedClass& each) { return each.mpi != library; });
        return short_json(classes);
    } catch (const Error& error) {
        say(error.what());
        return nlohmann::json::array();
    }
}

// Rank 0's part: what all are to know, as JSON's short form, CBOR; empty where ECO stands aside,
// having said why.
std::string what_to_share() {
    Settings settings = read_settings();
    for (const auto& complaint : settings.complaints) say(complaint);
    if (!settings.enabled) return "";
    try {
        const std::string path =
            settings.profile.empty() ? find_in_store(processor_name()) : settings.profile;
        if (path.empty()) {
            say("no profile knows host " + processor_name() +
                ", so the MPI library's own collectives run; 'eco measure' makes one");
            return "";
        }
        Profile profile = read_profile(path);
        const std::string library = library_name();
        kept_of = profile.created;
        profile.tuning = tuning_for(profile, library);
        const auto learned = what_was_learned(settings, path, profile, library);
        std::string text;
        nlohmann::json::to_cbor(nlohmann::json{{"profile", runtime_json(profile)},
                                               {"library", library},
                                               {"learn", settings.learn},
                                               {"learned", learned},
                                               {"verbose", settings.verbose},
                                               {"choice", settings.choice},
                                               {"keep_order", settings.keep_order}},
                                text);
        return text;
    } catch (const std::exception& error) {
        // Whatever it is: the others wait for rank 0's word.
        say(std::string(error.what()) + "; the MPI library's own collectives run");
        return "";
    }
}

bool agree(std::string& text) {
    const Native& mpi = native();
    int length = static_cast<int>(text.size());
    if (mpi.Bcast(&length, 1, mpi.int32, 0, mpi.comm_world) != MPI_SUCCESS || length == 0)
        return false;
    text.resize(static_cast<std::size_t>(length));
    return mpi.Bcast(text.data(), length, mpi.byte, 0, mpi.comm_world) == MPI_SUCCESS;
}

// Collective: every rank says where it is. Levels inside are asked for only where ranks share a
// host and some of them is bound, so that others neither load hwloc nor wait for a second exchange.
bool share_places(Session& fresh) {
    const Native& mpi = native();
    const auto& hosts = fresh.profile.hosts;
    const auto found = std::find(hosts.begin(), hosts.end(), processor_name());
    const int here = found == hosts.end() ? -1 : static_cast<int>(found - hosts.begin());
    const int own[2] = {here, may_be_bound() ? 1 : 0};
    auto& host_of = fresh.host_of_world;
    std::vector<int> all(2 * host_of.size());
    if (mpi.Allgather(own, 2, mpi.int32, all.data(), 2, mpi.int32, mpi.comm_world) != MPI_SUCCESS)
        return false;
    std::vector<int> ranks_on(hosts.size(), 0);
    for (std::size_t rank = 0; rank < host_of.size(); ++rank) {
        host_of[rank] = all[2 * rank];
        if (host_of[rank] >= 0) ++ranks_on[static_cast<std::size_t>(host_of[rank])];
    }
    const auto shares = [&](int host) {
        return host >= 0 && ranks_on[static_cast<std::size_t>(host)] > 1;
    };
    bool any = false;
    for (std::size_t rank = 0; rank < host_of.size(); ++rank)
        any = any || (shares(host_of[rank]) && all[2 * rank + 1] == 1);
    if (!any) return true;
    Binding binding;
    if (shares(here) && own[1] == 1) binding = find_binding(allowed_processors());
    const int mine[levels_inside] = {binding.package, binding.numa, binding.cache};
    all.resize(levels_inside * host_of.size());
    if (mpi.Allgather(mine, levels_inside, mpi.int32, all.data(), levels_inside, mpi.int32,
                      mpi.comm_world) != MPI_SUCCESS)
        return false;
    for (std::size_t at = 0; at < all.size(); at += levels_inside)
        fresh.bindings_of_world.push_back({all[at], all[at + 1], all[at + 2]});
    return true;
}

int keep_attribute_with_its_own(MPI_Comm, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

int drop_communicator(MPI_Comm, int, void* attribute, void*) {
    forget(static_cast<Communicator*>(attribute));
    return MPI_SUCCESS;
}

}  // namespace

Session* session() { return current.get(); }

void complain_once(const std::string& why) {
    Session* here = session();
    if (!here || here->world_rank != 0) return;
    const std::lock_guard lock(here->mutex);
    if (!here->complained) say(why);
    here->complained = true;
}

bool can_predict() {
    const Profile& profile = session()->profile;
    return profile.model || !profile.minimum.empty();
}

const Network& network() {
    Session& here = *session();
    const std::lock_guard lock(here.mutex);
    if (!here.network) here.network = build_network(here.profile);
    return *here.network;
}

std::string processor_name() {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    native().Get_processor_name(name, &length);
    return name;
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

void begin_session(const Settings& settings, const Profile& profile, bool with_rails,
                   const std::string& library) {
    const Native& mpi = native();
    auto fresh = std::make_unique<Session>();
    int ranks = 0;
    mpi.Comm_size(mpi.comm_world, &ranks);
    mpi.Comm_rank(mpi.comm_world, &fresh->world_rank);
    set_rank_of_checks(fresh->world_rank);
    fresh->settings = settings;
    fresh->library = library;
    fresh->profile = profile;
    fresh->chooser = std::make_unique<Chooser>(fresh->profile, fresh->settings, library);
    fresh->host_of_world.resize(static_cast<std::size_t>(ranks));
    if (!share_places(*fresh) ||
        mpi.Comm_group(mpi.comm_world, &fresh->world_group) != MPI_SUCCESS ||
        mpi.Comm_create_keyval(keep_attribute_with_its_own, drop_communicator, &fresh->keyval,
                               nullptr) != MPI_SUCCESS)
        return;
    if (fresh->world_rank == 0)
        for (const auto& complaint : fresh->settings.complaints) say(complaint);
    const auto missing = std::count(fresh->host_of_world.begin(), fresh->host_of_world.end(), -1);
    if (with_rails) fresh->rails = open_rails(*fresh);
    current = std::move(fresh);
    if (missing > 0)
        complain_once(
            std::to_string(missing) + " of " + std::to_string(ranks) +
            " ranks are on hosts that the profile does not know, so the MPI library's own "
            "collectives run where they take part; 'eco measure' adds them");
}

void begin_session() {
    const Native& mpi = native();
    int rank = 0, ranks = 0;
    if (mpi.Comm_rank(mpi.comm_world, &rank) != MPI_SUCCESS ||
        mpi.Comm_size(mpi.comm_world, &ranks) != MPI_SUCCESS || ranks == 1)
        return;
    std::string text = rank == 0 ? what_to_share() : "";
    if (!agree(text)) return;
    const auto shared = nlohmann::json::from_cbor(text);
    Settings settings;
    settings.verbose = shared.at("verbose");
    settings.choice = shared.at("choice");
    settings.keep_order = shared.at("keep_order");
    settings.learn = shared.at("learn");
    const Profile profile = parse_runtime(shared.at("profile"));
    const std::string library = shared.at("library");
    begin_session(settings, profile, may_use_rails(settings, profile), library);
    if (current) current->learned = read_short(shared.at("learned"), library);
}

// Rank 0 keeps what its communicators learned.
static void keep_results() {
    if (current->world_rank != 0 || current->settings.learn < Learn::on || kept_at.empty()) return;
    Learned fresh{kept_of, std::move(current->results)};
    if (fresh.classes.empty()) return;
    try {
        keep_learned(kept_at, fresh);
    } catch (const Error& error) {
        say(error.what());
    }
}

void end_session() {
    if (!current) return;
    if (current->settings.verbose > 0 && current->world_rank == 0) print_report();
    const auto communicators = current->communicators;
    for (Communicator* communicator : communicators) communicator->release();
    keep_results();
    // Until here a peer may have needed this process to take what comes over its rails.
    if (current->rails.open) native().Barrier(native().comm_world);
    current.reset();
}

}  // namespace eco
