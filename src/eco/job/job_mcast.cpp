// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/job_mcast.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "eco/base/error.h"
#include "eco/job/session.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/transport/mcast_socket.h"

namespace eco {

bool may_use_mcast(const Settings& settings, const Profile& profile) {
    if (!profile.mcast || profile.mcast->areas.empty()) return false;
    const auto names = [](const std::string& choice) { return choice.starts_with("mcast"); };
    if (settings.choice != "auto") return names(settings.choice) || settings.choice == "eco";
    // Where nothing was predicted, a program that learns tries the multicast.
    const bool tried = settings.learn != Learn::off &&
                       std::none_of(profile.tuning.begin(), profile.tuning.end(), for_any_library);
    return tried || std::any_of(profile.tuning.begin(), profile.tuning.end(),
                                [&](const Tuned& tuned) { return names(tuned.choice); });
}

McastKey share_mcast_key() {
    McastKey key{};
    if (getrandom(key.data(), sizeof key, 0) != static_cast<ssize_t>(sizeof key)) {
        std::random_device random;
        for (auto& half : key) half = std::uint64_t{random()} << 32 | random();
    }
    const Native& mpi = native();
    check_mpi(mpi.Bcast(key.data(), sizeof key, mpi.byte, 0, mpi.comm_world));
    return key;
}

namespace {

// Of a host that multicast does not reach, which takes part in the other messages of such calls.
class NoDatagrams : public Datagrams {
public:
    std::size_t send(std::span<const Datagram> datagrams, const McastAddress&) override {
        return datagrams.size();
    }
    bool receive(std::size_t, const Take&) override { return false; }
    void sleep(Seconds) override {}
};

}  // namespace

static std::unique_ptr<McastChannel> join(const Session& session, const McastKey& key) {
    const MeasuredMcast& measured = *session.profile.mcast;
    const auto& host_of = session.where.host_of;
    const auto own = host_of.begin() + session.world_rank;
    const int host = *own;
    const bool is_first_here = std::find(host_of.begin(), own, host) == own;
    if (host < 0 || measured.interfaces[static_cast<std::size_t>(host)].empty())
        return std::make_unique<McastChannel>(std::make_unique<NoDatagrams>(), key,
                                              measured.payload);
    const std::string& name = measured.interfaces[static_cast<std::size_t>(host)];
    auto all = mcast_interfaces(measured.family);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const McastInterface& each) { return each.name == name; });
    if (found == all.end())
        throw Error(Code::environment, "multicast: the NIC " + name +
                                           " of the profile is not there or is down; 'eco "
                                           "measure' finds the network as it is now");
    if (found->mtu <
        measured.payload + static_cast<Bytes>(sizeof(McastHeader)) + ip_and_udp(measured.family))
        throw Error(Code::environment, "multicast: the MTU of " + name +
                                           " is less than when it was measured; 'eco measure' "
                                           "finds the network as it is now");
    return std::make_unique<McastChannel>(
        [&] {
            // Others may receive by another NIC than this host sends by.
            std::iter_swap(all.begin(), found);
            return std::make_unique<McastSocket>(mcast_group(key, measured.family), all,
                                                 is_first_here);
        }(),
        key, measured.payload);
}

void report_mcast(const Session& session) {
    const McastChannel::Counts counts = session.mcast.channel->counts();
    const double own[3] = {static_cast<double>(counts.sent), static_cast<double>(counts.sent_again),
                           static_cast<double>(counts.foreign)};
    double all[3] = {};
    const Native& mpi = native();
    if (mpi.Reduce(own, all, 3, mpi.real64, mpi.sum, 0, mpi.comm_world) != MPI_SUCCESS ||
        session.world_rank != 0)
        return;
    std::fprintf(stderr, "eco: %.0f datagrams multicast, %.0f sent again", all[0], all[1]);
    if (all[2] > 0)
        std::fprintf(stderr, "; %.0f datagrams of others received, and dropped", all[2]);
    std::fprintf(stderr, "\n");
}

JobMcast open_mcast(const Session& session) {
    const Native& mpi = native();
    JobMcast job;
    std::string why;
    const McastKey key = share_mcast_key();
    try {
        job.channel = join(session, key);
    } catch (const std::exception& error) {
        why = error.what();
    }
    // The first that cannot says why.
    const auto ranks = static_cast<int>(session.where.host_of.size());
    int own = why.empty() ? ranks : session.world_rank, first = 0;
    check_mpi(mpi.Allreduce(&own, &first, 1, mpi.int32, mpi.min, mpi.comm_world));
    if (first == ranks) return job;
    if (first == session.world_rank)
        std::fprintf(stderr, "eco: rank %d on %s: %s; nothing is multicast\n", first,
                     processor_name().c_str(), why.c_str());
    return {};
}

}  // namespace eco
