// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/share.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "eco/base/error.h"
#include "eco/base/host_memory.h"
#include "eco/base/say.h"
#include "eco/job/build_id.h"
#include "eco/learn/program_name.h"
#include "eco/mpi/device_memory.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/mpi/native.h"
#include "eco/mpi/threads.h"
#include "eco/selection/choose.h"
#include "eco/topology/host_names.h"
#include "eco/topology/processors.h"
#include "eco/topology/profile_search.h"
#include "eco/topology/runtime.h"

namespace eco {

using nlohmann::json;

namespace {

// What a rank says of itself. Ranks whose ECO is of other versions must understand each other so
// far, so neither this nor Answer ever changes its form; what follows `build` is looked at only
// where all are of one build.
struct Place {
    std::uint64_t host = 0;                 // hash of its name
    std::uint64_t build = 0;                // build_id()
    std::uint64_t facts : 8 = 0;            // Fact; of other builds perhaps others
    std::uint64_t memory : 56 = 0;          // bytes (host_memory.h)
    std::uint64_t has_unknown_devices = 0;  // device_memory.h
};

enum Fact : unsigned { may_be_bound_there = 1, calls_at_once = 2, takes_no_part = 4 };

// Rank 0's first broadcast begins with it.
struct Answer {
    std::uint32_t length = 0;  // of the text that follows; 0: native collectives
    std::int32_t odd = -1;     // the first rank of another build than rank 0's, or that cannot
    std::uint64_t odd_ranks = 0;
};

// Of the first broadcast, whose length all must know beforehand. What most jobs share fits, and
// libraries send it over the connections that their other small collectives use.
constexpr std::size_t first_bytes = 1024;

int rank_in_world() {
    int rank = 0;
    native().Comm_rank(native().comm_world, &rank);
    return rank;
}

// Where it is not known they may, and nothing is lost but choices.
bool threads_may_call_at_once() {
    try {
        return threads_call_at_once();
    } catch (const MpiError&) {
        return true;
    }
}

// Collective; by rank, on rank 0. Throws MpiError.
std::vector<Place> gather_places(bool takes_part) {
    const Native& mpi = native();
    int ranks = 0;
    mpi.Comm_size(mpi.comm_world, &ranks);
    unsigned facts = 0;
    if (may_be_bound()) facts |= may_be_bound_there;
    if (threads_may_call_at_once()) facts |= calls_at_once;
    if (!takes_part) facts |= takes_no_part;
    Place own;
    own.host = name_hash(processor_name());
    own.build = build_id();
    own.facts = facts & 0xffU;
    own.memory = static_cast<std::uint64_t>(host_memory()) & (~std::uint64_t{0} >> 8);
    own.has_unknown_devices = has_devices_of_unknown_memory() ? 1U : 0U;
    std::vector<Place> all(static_cast<std::size_t>(ranks));
    check_mpi(mpi.Gather(&own, sizeof own, mpi.byte, all.data(), sizeof own, mpi.byte, 0,
                         mpi.comm_world));
    return all;
}

bool some(const std::vector<Place>& places, Fact fact) {
    return std::any_of(places.begin(), places.end(),
                       [fact](const Place& place) { return (place.facts & fact) != 0; });
}

template <typename IsOdd>
Answer find_odd(const std::vector<Place>& places, IsOdd is_odd) {
    Answer answer;
    for (std::size_t rank = places.size(); rank-- > 0;)
        if (is_odd(places[rank])) {
            answer.odd = static_cast<std::int32_t>(rank);
            ++answer.odd_ranks;
        }
    return answer;
}

// Rank 0, before what it shares: whether all can decide alike. Ranks of another build may mean
// something else by what they say besides.
Answer find_odd(const std::vector<Place>& places) {
    const Answer built =
        find_odd(places, [&](const Place& place) { return place.build != places.front().build; });
    if (built.odd >= 0) return built;
    return find_odd(places, [](const Place& place) { return (place.facts & takes_no_part) != 0; });
}

// why_not: this rank's; empty if it is of another build.
void say_why_it_is_odd(const Answer& answer, const std::string& why_not) {
    const std::string more = answer.odd_ranks > 1
                                 ? " (" + std::to_string(answer.odd_ranks) + " such ranks)"
                                 : std::string();
    const std::string who = "rank " + std::to_string(answer.odd) + " on " + processor_name();
    if (!why_not.empty())
        return say(who + " cannot begin: " + why_not + more +
                   "; the MPI library's own collectives run on all ranks");
    say(who + " has another ECO (" + build_text + ") than rank 0" + more +
        ", so the MPI library's own collectives run; install the same on all hosts");
}

// Collective; rank 0's text on all. Empty where builds differ or a rank cannot take part, which the
// first rank that is odd says. Throws MpiError.
std::string broadcast(std::string text, Answer answer, const std::string& why_not) {
    const Native& mpi = native();
    std::array<char, first_bytes> first{};
    if (answer.odd >= 0) text.clear();
    answer.length = static_cast<std::uint32_t>(text.size());
    constexpr std::size_t room = first_bytes - sizeof answer;
    std::memcpy(first.data(), &answer, sizeof answer);
    std::memcpy(first.data() + sizeof answer, text.data(), std::min(room, text.size()));
    check_mpi(mpi.Bcast(first.data(), first_bytes, mpi.byte, 0, mpi.comm_world));
    std::memcpy(&answer, first.data(), sizeof answer);
    if (answer.length == 0) {
        if (answer.odd == rank_in_world()) say_why_it_is_odd(answer, why_not);
        return "";
    }
    text.resize(answer.length);
    std::memcpy(text.data(), first.data() + sizeof answer, std::min(room, text.size()));
    if (text.size() > room)
        check_mpi(mpi.Bcast(text.data() + room, static_cast<int>(text.size() - room), mpi.byte, 0,
                            mpi.comm_world));
    return text;
}

// Rank 0: where this job's results go, the measurement that they are of, and the program, which
// may change what it is called by. Never destroyed.
struct Results {
    std::string path, created, program;
};
Results& results_of_job() {
    static auto& all = *new Results;
    return all;
}

// One line for what was refused, however much.
void say_refused(const std::vector<std::string>& refused) {
    if (refused.empty()) return;
    const std::size_t others = refused.size() - 1;
    say(refused.front() +
        (others > 0 ? " (and " + std::to_string(others) + " more like it)" : std::string()));
}

std::string path_for(const Settings& settings, const std::vector<Place>& places) {
    if (!settings.profile.empty()) return settings.profile;
    std::vector<std::uint64_t> hosts;
    for (const Place& place : places) hosts.push_back(place.host);
    const FoundProfile found = find_profile(profile_folders(), processor_name(), hosts);
    say_refused(found.refused);
    return found.path;
}

Profile profile_at(const std::string& path) {
    if (path.empty())
        throw Error(Code::bad_input, "no profile contains host " + processor_name() +
                                         ", so ECO falls back to native collectives; " +
                                         what_names_host("'eco measure' writes one"));
    try {
        return read_profile(path);
    } catch (const std::exception& error) {
        throw Error(Code::bad_input,
                    std::string(error.what()) + "; ECO falls back to native collectives");
    }
}

std::vector<int> hosts_of(const std::vector<Place>& places, const std::vector<std::string>& hosts) {
    const HostNames names(hosts, processor_name());
    std::vector<int> host_of;
    for (const Place& place : places) host_of.push_back(names.find(place.host));
    return host_of;
}

std::vector<int> ranks_on(const std::vector<int>& host_of, std::size_t hosts) {
    std::vector<int> ranks(hosts, 0);
    for (const int host : host_of)
        if (host >= 0) ++ranks[static_cast<std::size_t>(host)];
    return ranks;
}

// All ranks of a host together take this part of its memory at most, a twentieth.
constexpr std::uint64_t parts_of_memory = 20;

// What a call may take of each rank's memory: what suits the host with least for each of its ranks.
Bytes most_scratch(const std::vector<Place>& places) {
    struct Host {
        std::uint64_t ranks = 0, memory = ~std::uint64_t{0};
    };
    std::map<std::uint64_t, Host> hosts;
    for (const Place& place : places) {
        Host& host = hosts[place.host];
        ++host.ranks;
        host.memory = std::min<std::uint64_t>(host.memory, place.memory);
    }
    auto most = static_cast<std::uint64_t>(most_scratch_of_a_rank);
    for (const auto& [name, host] : hosts)
        most = std::min(most, host.memory / parts_of_memory / host.ranks);
    return static_cast<Bytes>(most);
}

// bound: whether some rank that shares its host may be bound there.
json whereabouts_json(const std::vector<Place>& places, const std::vector<int>& host_of,
                      std::size_t hosts) {
    const auto ranks = ranks_on(host_of, hosts);
    bool bound = false;
    for (std::size_t rank = 0; rank < places.size(); ++rank)
        bound = bound || (host_of[rank] >= 0 && (places[rank].facts & may_be_bound_there) != 0 &&
                          ranks[static_cast<std::size_t>(host_of[rank])] > 1);
    return {{"host_of", host_of},
            {"bound", bound},
            {"threads", some(places, calls_at_once)},
            {"most_scratch", most_scratch(places)}};
}

// Unknown where it cannot be found: all ranks learn that.
Binding binding_of_this_rank() {
    try {
        return find_binding(allowed_processors());
    } catch (const std::exception&) {
        return {};
    }
}

// Collective; throws MpiError. Levels inside are asked for only if ranks share a host and some of
// them is bound, so that others neither load hwloc nor wait for a second exchange.
Whereabouts read_whereabouts(const json& root, std::size_t hosts) {
    const Native& mpi = native();
    Whereabouts where;
    root.at("host_of").get_to(where.host_of);
    root.at("most_scratch").get_to(where.most_scratch);
    root.at("threads").get_to(where.threads_at_once);
    if (!root.at("bound").get<bool>()) return where;
    const int here = where.host_of.at(static_cast<std::size_t>(rank_in_world()));
    Binding binding;
    if (here >= 0 && ranks_on(where.host_of, hosts)[static_cast<std::size_t>(here)] > 1 &&
        may_be_bound())
        binding = binding_of_this_rank();
    const int mine[levels_inside] = {binding.package, binding.numa, binding.cache};
    std::vector<int> all(levels_inside * where.host_of.size());
    check_mpi(mpi.Allgather(mine, levels_inside, mpi.int32, all.data(), levels_inside, mpi.int32,
                            mpi.comm_world));
    for (std::size_t at = 0; at < all.size(); at += levels_inside)
        where.bindings.push_back({all[at], all[at + 1], all[at + 2]});
    return where;
}

// Of earlier jobs, with this library on this network; a file that cannot be read is as good as
// none.
json what_was_learned(Settings& settings, const std::string& profile_path, const Profile& profile,
                      const std::string& library, int ranks) {
    if (settings.choice != "auto") settings.learn = Learn::off;
    if (settings.learn == Learn::off) return json::array();
    try {
        Results& results = results_of_job();
        results.created = profile.created;
        results.path = learned_path(profile_path, profile.created);
        auto classes = read_learned(results.path, results.created).classes;
        results.program = name_of_program();
        std::erase_if(classes, [&](const LearnedClass& each) {
            return each.mpi != library || each.ranks > ranks ||
                   (!each.blocks() && each.program != results.program);
        });
        return short_json(classes);
    } catch (const std::exception& error) {
        say(error.what());
        return json::array();
    }
}

// Rank 0's part, as JSON's short form, CBOR; empty if native collectives are to run, having said
// why. own: gets what rank 0 alone keeps.
std::string what_to_share(Settings settings, const std::string& library,
                          const std::vector<Place>& places, Shared& own) {
    for (const auto& complaint : settings.complaints) say(complaint);
    if (!settings.enabled && !settings.reports()) return "";
    // Then calls are only counted and timed.
    if (!settings.enabled) {
        settings.choice = "native";
        settings.nonblocking = Nonblocking::off;
    }
    if (std::any_of(places.begin(), places.end(),
                    [](const Place& place) { return place.has_unknown_devices != 0; })) {
        say("some rank uses Level Zero, whose devices' memory ECO cannot tell from the host's, so "
            "the MPI library's own collectives run");
        return "";
    }
    try {
        const std::string path = path_for(settings, places);
        own.settings.profile = path;
        Profile profile = profile_at(path);
        const json learned =
            what_was_learned(settings, path, profile, library, static_cast<int>(places.size()));
        if (!settings.multicast) profile.mcast.reset();
        std::vector<int> host_of = hosts_of(places, profile.hosts);
        auto& whole = own.whole;
        if (settings.reports())
            whole = std::make_unique<WholeProfile>(WholeProfile{path, profile, {}});
        profile.tuning = tuning_for(profile, library);
        profile = part_for_job(profile, host_of);
        if (whole)
            for (const std::string& host : profile.hosts)
                whole->host_of_part.push_back(static_cast<int>(
                    std::find(whole->profile.hosts.begin(), whole->profile.hosts.end(), host) -
                    whole->profile.hosts.begin()));
        std::string text;
        json::to_cbor(json{{"where", whereabouts_json(places, host_of, profile.hosts.size())},
                           {"profile", runtime_json(profile)},
                           {"library", library},
                           {"enabled", settings.enabled},
                           {"verbose", settings.verbose},
                           {"report", settings.report},
                           {"choice", settings.choice},
                           {"learn", settings.learn},
                           {"nonblocking", settings.nonblocking},
                           {"reorder", settings.reorder},
                           {"learned", learned},
                           {"keep_order", settings.keep_order},
                           {"checks_network", settings.checks_network}},
                      text);
        return text;
    } catch (const std::exception& error) {
        // Whatever it is: the others wait for rank 0's word.
        say(error.what());
        return "";
    }
}

}  // namespace

std::uint64_t build_id() { return name_hash(build_text); }

std::string processor_name() {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    native().Get_processor_name(name, &length);
    return name;
}

std::string what_names_host(const std::string& otherwise) {
    const std::string name = processor_name();
    if (!is_made_up_name(name)) return otherwise;
    return "the name " + name +
           " looks like a container's: start containers with the host's name (--uts=host or "
           "--network=host)";
}

void keep_results(std::vector<LearnedClass> results) {
    const Results& of = results_of_job();
    if (results.empty() || of.path.empty()) return;
    try {
        for (LearnedClass& each : results)
            if (!each.blocks()) each.program = of.program;
        keep_learned(of.path, {of.created, std::move(results)});
    } catch (const std::exception& error) {
        say(error.what());
    }
}

std::optional<Shared> share(const Settings& settings, const std::string& library,
                            const std::string& why_not) {
    const auto places = gather_places(why_not.empty());
    std::string text;
    Answer answer;
    Shared shared;
    if (rank_in_world() == 0) {
        if (settings.enabled || settings.reports()) answer = find_odd(places);
        if (answer.odd < 0) text = what_to_share(settings, library, places, shared);
    }
    text = broadcast(std::move(text), answer, why_not);
    if (text.empty()) return std::nullopt;
    const json root = json::from_cbor(text);
    root.at("enabled").get_to(shared.settings.enabled);
    root.at("verbose").get_to(shared.settings.verbose);
    root.at("report").get_to(shared.settings.report);
    root.at("choice").get_to(shared.settings.choice);
    root.at("keep_order").get_to(shared.settings.keep_order);
    root.at("checks_network").get_to(shared.settings.checks_network);
    root.at("learn").get_to(shared.settings.learn);
    root.at("nonblocking").get_to(shared.settings.nonblocking);
    root.at("reorder").get_to(shared.settings.reorder);
    root.at("library").get_to(shared.library);
    shared.learned = read_short(root.at("learned"), shared.library);
    shared.profile = parse_runtime(root.at("profile"));
    shared.where = read_whereabouts(root.at("where"), shared.profile.hosts.size());
    return shared;
}

std::optional<Whereabouts> share_whereabouts(const Profile& profile, const std::string& why_not) {
    const auto places = gather_places(why_not.empty());
    std::string text;
    Answer answer;
    if (rank_in_world() == 0) {
        answer = find_odd(places);
        json::to_cbor(
            whereabouts_json(places, hosts_of(places, profile.hosts), profile.hosts.size()), text);
    }
    text = broadcast(std::move(text), answer, why_not);
    if (text.empty()) return std::nullopt;
    return read_whereabouts(json::from_cbor(text), profile.hosts.size());
}

}  // namespace eco
