// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/collected.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>

#include "eco/job/communicator.h"
#include "eco/job/job_report.h"
#include "eco/job/session.h"

namespace eco {

using nlohmann::json;

namespace {

// Samples of all classes together, so that the end of a job stays quick.
constexpr std::size_t most_samples = 4096;

std::map<CallClass, CallTimes>& collected() {
    static auto* all = new std::map<CallClass, CallTimes>;
    return *all;
}

Seconds start = 0;

// Rank 0's classes, and how many samples of each count.
json what_to_collect() {
    std::size_t samples = 0;
    for (const auto& [named, counted] : call_counts())
        samples += named.form == CallForm::blocking ? counted.samples.kept().size() : 0;
    while (samples > most_samples) {
        samples = 0;
        bool thinner = false;
        for (auto& [named, counted] : call_counts()) {
            if (counted.samples.kept().size() > 1) {
                counted.samples.thin();
                thinner = true;
            }
            samples += named.form == CallForm::blocking ? counted.samples.kept().size() : 0;
        }
        if (!thinner) break;
    }
    json list = json::array();
    for (const auto& [named, counted] : call_counts())
        if (named.form == CallForm::blocking)
            list.push_back({named.communicator, static_cast<int>(named.operation), named.bytes,
                            named.choice, counted.samples.calls(), counted.samples.kept().size()});
    return list;
}

CallClass class_of(const json& entry) {
    return {entry.at(0), static_cast<Operation>(entry.at(1).get<int>()), CallForm::blocking,
            entry.at(2), entry.at(3)};
}

// Collective. Empty if MPI failed.
json broadcast_json(const json& own) {
    const Native& mpi = native();
    std::string text;
    if (session()->world_rank == 0) json::to_cbor(own, text);
    int length = static_cast<int>(text.size());
    if (mpi.Bcast(&length, 1, mpi.int32, 0, mpi.comm_world) != MPI_SUCCESS) return {};
    text.resize(static_cast<std::size_t>(length));
    if (mpi.Bcast(text.data(), length, mpi.byte, 0, mpi.comm_world) != MPI_SUCCESS) return {};
    return json::from_cbor(text);
}

// This rank's samples of such calls; none where it has not seen the same ones.
std::vector<std::pair<Seconds, Seconds>> samples_of(const json& entry) {
    const auto found = call_counts().find(class_of(entry));
    if (found == call_counts().end() || found->second.samples.calls() != entry.at(4).get<long>())
        return {};
    Samples samples = found->second.samples;
    const auto wanted = entry.at(5).get<std::size_t>();
    while (samples.kept().size() > wanted) samples.thin();
    return samples.kept();
}

void collect() {
    const Native& mpi = native();
    Session& here = *session();
    // One that has lost a communicator cannot take part; the others must not wait for it.
    int fine = std::none_of(here.communicators.begin(), here.communicators.end(),
                            [](const Communicator* each) { return each->failed(); });
    int all = 0;
    if (mpi.Allreduce(&fine, &all, 1, mpi.int32, mpi.min, mpi.comm_world) != MPI_SUCCESS || !all)
        return;
    if (Communicator* world = communicator_of(mpi.comm_world); world && world->ready())
        here.clocks.align(world->hidden(), world->rank(), world->hosts());
    const bool comparable = here.clocks.aligned();
    const json list = broadcast_json(here.world_rank == 0 ? what_to_collect() : json());
    if (!list.is_array()) return;
    // The session's beginning; then per sample the last entry and end.
    constexpr double never = std::numeric_limits<double>::lowest();
    const bool counts = comparable || here.world_rank == 0;
    std::vector<double> own{counts ? here.clocks.common(here.began) : never,
                            counts ? here.clocks.common(here.shared) : never};
    for (const json& entry : list) {
        auto samples = samples_of(entry);
        if (!counts) samples.clear();
        for (std::size_t at = 0; at < entry.at(5).get<std::size_t>(); ++at) {
            const bool seen = at < samples.size();
            own.push_back(seen ? here.clocks.common(samples[at].first) : never);
            own.push_back(seen ? here.clocks.common(samples[at].second) : never);
        }
    }
    std::vector<double> last(own.size()), waits, sum(own.size());
    const int count = static_cast<int>(own.size());
    if (mpi.Allreduce(own.data(), last.data(), count, mpi.real64, mpi.max, mpi.comm_world) !=
        MPI_SUCCESS)
        return;
    // How long this rank waited, and of how many ranks this is the sum. One that has left before
    // the last came (the root of a broadcast) did not wait for it.
    for (std::size_t place = 0; place < own.size(); place += 2) {
        const bool seen = own[place] != never;
        waits.push_back(seen ? std::max(0.0, std::min(last[place], own[place + 1]) - own[place])
                             : 0);
        waits.push_back(seen ? 1 : 0);
    }
    if (mpi.Reduce(waits.data(), sum.data(), count, mpi.real64, mpi.sum, 0, mpi.comm_world) !=
            MPI_SUCCESS ||
        here.world_rank != 0)
        return;
    start = std::max(0.0, last[1] - last[0]);
    std::size_t place = 2;
    for (const json& entry : list) {
        const auto samples = entry.at(5).get<std::size_t>();
        CallTimes& times = collected()[class_of(entry)];
        for (std::size_t at = 0; at < samples; ++at, place += 2) {
            const Seconds took = std::max(0.0, last[place + 1] - last[place]);
            times.time += took;
            times.least = at == 0 ? took : std::min(times.least, took);
            times.waited += sum[place] / sum[place + 1];
        }
        times.time /= static_cast<double>(samples);
        times.waited /= static_cast<double>(samples);
    }
}

}  // namespace

CallTimes times_of(const CallClass& named) {
    const auto found = collected().find(named);
    return found == collected().end() ? CallTimes{} : found->second;
}

Seconds time_of_start() { return start; }

void align_report_clocks() noexcept {
    Session& here = *session();
    try {
        if (!here.settings.enabled && here.world_rank == 0) {
            Settings settings;
            // Without predictions for a part of the hosts, which would take rank 0 time among
            // native calls.
            here.would_choose = std::make_unique<Chooser>(here.profile, settings, here.library);
        }
        if (Communicator* world = communicator_of(native().comm_world); world && world->ready())
            here.clocks.align(world->hidden(), world->rank(), world->hosts());
    } catch (const std::exception&) {
        // Then only rank 0's own times are known.
    }
}

void collect_report() noexcept {
    try {
        collect();
    } catch (const std::exception&) {
        // The same.
    }
}

}  // namespace eco
