// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/job_rails.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <set>

#include "eco/job/session.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/transport/fabric_rails.h"

namespace eco {

namespace {

constexpr double patience = 20;          // seconds for the first bytes over each rail
constexpr std::size_t most_tried = 256;  // ranks; more would make too many connections at once

// Concatenated by rank, each as long as the longest. Throws MpiError.
void share(const std::string& own, std::vector<std::string>& all) {
    const Native& mpi = native();
    const int length = static_cast<int>(own.size());
    std::vector<int> lengths(all.size());
    check_mpi(mpi.Allgather(&length, 1, mpi.int32, lengths.data(), 1, mpi.int32, mpi.comm_world));
    const int longest = *std::max_element(lengths.begin(), lengths.end());
    std::string padded = own, joined(all.size() * static_cast<std::size_t>(longest), '\0');
    padded.resize(static_cast<std::size_t>(longest));
    check_mpi(mpi.Allgather(padded.data(), longest, mpi.byte, joined.data(), longest, mpi.byte,
                            mpi.comm_world));
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        all[rank] = joined.substr(rank * static_cast<std::size_t>(longest),
                                  static_cast<std::size_t>(lengths[rank]));
}

// Whether all ranks are well.
bool all_well(const std::string& why) {
    const Native& mpi = native();
    int well = why.empty() ? 1 : 0, all = 0;
    check_mpi(mpi.Allreduce(&well, &all, 1, mpi.int32, mpi.min, mpi.comm_world));
    return all == 1;
}

}  // namespace

bool may_use_rails(const Settings& settings, const Profile& profile) {
    const auto names = [](const std::string& choice) {
        return choice.find("rails=") != std::string::npos;
    };
    if (settings.choice != "auto") return names(settings.choice);
    return std::any_of(profile.tuning.begin(), profile.tuning.end(),
                       [&](const Tuned& tuned) { return names(tuned.choice); });
}

JobRails open_rails(const std::vector<int>& host_of_world, Rank me,
                    const std::map<std::string, RailRates>& rates, const Levels& levels,
                    Bytes longest_short, bool with_own, std::string& why) {
    JobRails job;
    std::set<std::string> networks;
    for (const auto& [network, rate] : rates) networks.insert(network);
    const int here = host_of_world[static_cast<std::size_t>(me)];
    const auto rate_to = [=](const std::string& network, Rank peer) {
        const int there = host_of_world[static_cast<std::size_t>(peer)];
        const auto found = rates.find(network);
        return found == rates.end() || here < 0 || there < 0
                   ? 1
                   : found->second.between(here, there, levels);
    };
    std::string own, fault;
    try {
        auto rails = with_own ? open_fabric_rails(networks, rate_to, why) : nullptr;
        if (rails) {
            job.messages = std::make_unique<RailMessages>(
                std::move(rails), me, static_cast<int>(host_of_world.size()), longest_short);
            own = job.messages->own_address();
        }
    } catch (const std::exception& error) {
        why = error.what();
        own.clear();
        job.messages.reset();
    }
    std::vector<std::string> addresses(host_of_world.size());
    share(own, addresses);
    if (std::all_of(addresses.begin(), addresses.end(),
                    [](const std::string& text) { return text.empty(); }))
        return {};
    if (job.messages) try {
            for (std::size_t peer = 0; peer < addresses.size(); ++peer)
                if (static_cast<Rank>(peer) != me && host_of_world[peer] == here)
                    addresses[peer].clear();
            job.messages->connect(addresses);
            std::string missing;
            if (addresses.size() <= most_tried &&
                !job.messages->connectivity_check(patience, missing))
                fault = "nothing arrived over a rail from rank " + missing;
        } catch (const std::exception& error) {
            fault = error.what();
        }
    if (!fault.empty()) why = fault;
    if (!all_well(fault)) return {};
    job.open = true;
    return job;
}

JobRails open_rails(const Session& session) {
    const MeasuredRails measured = session.profile.rails.value_or(MeasuredRails{});
    std::string why;
    JobRails job = open_rails(session.where.host_of, session.world_rank, measured.rates(),
                              session.profile.levels, measured.longest_short, true, why);
    // The first that has something to say says it.
    const Native& mpi = native();
    const auto ranks = static_cast<int>(session.where.host_of.size());
    int own = why.empty() ? ranks : session.world_rank, first = ranks;
    check_mpi(mpi.Allreduce(&own, &first, 1, mpi.int32, mpi.min, mpi.comm_world));
    if (first == session.world_rank)
        std::fprintf(stderr, "eco: rank %d on %s: %s%s\n", session.world_rank,
                     processor_name().c_str(), why.c_str(),
                     job.open ? "" : "; collectives run without rails");
    return job;
}

}  // namespace eco
