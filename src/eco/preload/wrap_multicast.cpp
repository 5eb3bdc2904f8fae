// SPDX-License-Identifier: BSD-3-Clause
// Several multicasts at once, for programs that ask for it: ECO_Multicast of include/eco.h.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <new>
#include <vector>

#pragma GCC visibility push(default)
#include "../../../include/eco.h"
#pragma GCC visibility pop
#include "eco/job/call.h"
#include "eco/job/job_report.h"
#include "eco/job/multicasts.h"
#include "eco/mpi/fortran.h"
#include "eco/simulate/multicast_plan.h"

namespace eco {

namespace {

std::vector<Multicast> multicasts_of(int count, const int sources[], const MPI_Aint bytes[],
                                     const int degrees[], const int destinations[]) {
    std::vector<Multicast> messages;
    for (int m = 0; m < count; destinations += degrees[m], ++m)
        messages.push_back({sources[m], bytes[m], {destinations, destinations + degrees[m]}});
    return messages;
}

std::size_t deliveries(const std::vector<Multicast>& messages) {
    std::size_t number = 0;
    for (const Multicast& message : messages) number += message.destinations.size();
    return number;
}

// The buffers as the host may touch them.
std::vector<std::byte*> on_host(Call& call, int count, const int sources[], const MPI_Aint bytes[],
                                const int degrees[], const int destinations[],
                                void* const buffers[]) {
    std::vector<std::byte*> own;
    for (int m = 0; m < count; destinations += degrees[m], ++m) {
        const Reach all{0, static_cast<Bytes>(bytes[m])};
        const int* end = destinations + degrees[m];
        const void* buffer = buffers[m];
        if (sources[m] == call.rank())
            buffer = call.readable(buffer, all);
        else if (std::find(destinations, end, call.rank()) != end)
            buffer = call.writable(buffers[m], all, false);
        own.push_back(bytes_at(buffer));
    }
    return own;
}

}  // namespace

}  // namespace eco

#pragma GCC visibility push(default)

extern "C" {

// taken: whether that was all. Not if ECO falls back to native.
int eco_multicast(int count, const int sources[], const MPI_Aint bytes[], const int degrees[],
                  const int destinations[], void* const buffers[], MPI_Comm comm, int* taken) {
    using namespace eco;
    *taken = 0;
    const void* site = ECO_SITE;
    const auto aside = [] { return MPI_SUCCESS; };
    return run_call(Operation::multicast, comm, {site}, aside, [&](Call& call) {
        if (session()->settings.choice == "native" || !can_predict()) return false;
        char why[160];
        if (const int code = eco_multicast_check(call.size(), count, sources, bytes, degrees,
                                                 destinations, why, sizeof why);
            code != MPI_SUCCESS) {
            // This rank alone, unlike what is wrong with arguments.
            if (code == MPI_ERR_NO_MEM) throw std::bad_alloc();
            std::fprintf(stderr, "ECO_Multicast: %s\n", why);
            throw MpiError{code};
        }
        auto messages = multicasts_of(count, sources, bytes, degrees, destinations);
        Communicator& communicator = call.communicator();
        if (deliveries(messages) > most_deliveries || !communicator.ready() || call.on_revoked())
            return false;
        const auto plan = communicator.multicasts().find(
            communicator, Operation::multicast, std::move(messages), false, call.may_mcast());
        *taken = 1;
        if (!plan->prepared) return true;  // there is nothing to send
        call.note(-1, &plan->name);
        if (plan->by_mcast) call.set_mcast();
        const auto own = on_host(call, count, sources, bytes, degrees, destinations, buffers);
        // Buffers are anywhere in memory: places are told from one of them.
        Layout layout;
        for (int m = 0; m < count && !layout.input; ++m)
            layout.input = layout.output = own[static_cast<std::size_t>(m)];
        layout.length = [&](int m) { return static_cast<Bytes>(bytes[m]); };
        layout.input_offset = layout.output_offset = [&](int m) {
            return static_cast<Bytes>(
                reinterpret_cast<std::intptr_t>(own[static_cast<std::size_t>(m)]) -
                reinterpret_cast<std::intptr_t>(layout.input));
        };
        call.run(*plan->prepared, std::move(layout));
        return true;
    });
}

// For Fortran and Python, which know communicators as integers.
int eco_multicast_f(int count, const int sources[], const MPI_Aint bytes[], const int degrees[],
                    const int destinations[], void* const buffers[], int comm, int* taken) {
    return eco_multicast(count, sources, bytes, degrees, destinations, buffers,
                         eco::from_fortran(comm), taken);
}
}

#pragma GCC visibility pop
