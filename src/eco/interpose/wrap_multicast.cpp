// Several multicasts at once, for programs that ask for it: ECO_Multicast of include/eco.h.
#include <cstdint>
#include <cstdio>
#include <vector>

#pragma GCC visibility push(default)
#include "../../../include/eco.h"
#pragma GCC visibility pop
#include "eco/interpose/call.h"
#include "eco/interpose/fortran.h"
#include "eco/interpose/multicasts.h"
#include "eco/interpose/report.h"
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

}  // namespace

}  // namespace eco

#pragma GCC visibility push(default)

extern "C" {

// taken: whether that was all. Not where ECO stands aside.
int eco_multicast(int count, const int sources[], const MPI_Aint bytes[], const int degrees[],
                  const int destinations[], void* const buffers[], MPI_Comm comm, int* taken) {
    using namespace eco;
    *taken = 0;
    const void* site = ECO_SITE;
    Call call(Operation::multicast, comm, site);
    if (!call || session()->settings.choice == "native" || !can_predict()) return MPI_SUCCESS;
    char why[160];
    if (const int code = eco_multicast_check(call.size(), count, sources, bytes, degrees,
                                             destinations, why, sizeof why);
        code != MPI_SUCCESS) {
        std::fprintf(stderr, "ECO_Multicast: %s\n", why);
        native().Comm_call_errhandler(comm, code);
        return code;
    }
    auto messages = multicasts_of(count, sources, bytes, degrees, destinations);
    if (deliveries(messages) > most_deliveries) return MPI_SUCCESS;
    bool aside = false;
    const int code = call.guard([&] {
        Communicator& communicator = call.communicator();
        aside = !communicator.ready();
        if (aside) return;
        const auto plan = communicator.multicasts().find(communicator, Operation::multicast,
                                                         std::move(messages), false);
        if (!plan->prepared) return;  // there is nothing to send
        count_call(Operation::multicast, -1, site, plan->name);
        // Buffers are anywhere in memory: places are told from one of them.
        Layout layout;
        for (int m = 0; m < count && !layout.input; ++m)
            layout.input = layout.output = static_cast<std::byte*>(buffers[m]);
        layout.length = [&](int m) { return static_cast<Bytes>(bytes[m]); };
        layout.input_offset = layout.output_offset = [&](int m) {
            return static_cast<Bytes>(reinterpret_cast<std::intptr_t>(buffers[m]) -
                                      reinterpret_cast<std::intptr_t>(layout.input));
        };
        call.run(*plan->prepared, layout);
    });
    *taken = !aside;
    return code;
}

// For Fortran and Python, which know communicators as integers.
int eco_multicast_f(int count, const int sources[], const MPI_Aint bytes[], const int degrees[],
                    const int destinations[], void* const buffers[], int comm, int* taken) {
    return eco_multicast(count, sources, bytes, degrees, destinations, buffers,
                         eco::from_fortran(comm), taken);
}
}

#pragma GCC visibility pop
