// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/trial_calls.h"

#include <array>
#include <map>

#include "eco/preload/wrappers.h"

namespace eco {

namespace {

using Calls = std::array<TrialCall, 3>;  // by form

#ifdef ECO_NO_PERSISTENT
#define ECO_TRIAL_PERSISTENT(...) nullptr
#else
#define ECO_TRIAL_PERSISTENT(Name, ...)                                                            \
    [](const Native& mpi, const TrialArguments& a) {                                               \
        return mpi.Name##_init(__VA_ARGS__, mpi.info_null, a.request);                             \
    }
#endif
// The arguments of the blocking form.
#define ECO_TRIAL(Name, Iname, ...)                                                                \
    Calls {                                                                                        \
        [](const Native& mpi, const TrialArguments& a) { return mpi.Name(__VA_ARGS__); },          \
            [](const Native& mpi, const TrialArguments& a) {                                       \
                return mpi.Iname(__VA_ARGS__, a.request);                                          \
            },                                                                                     \
            ECO_TRIAL_PERSISTENT(Name, __VA_ARGS__)                                                \
    }

const std::map<Operation, Calls>& trial_calls() {
    using enum Operation;
    static const std::map<Operation, Calls> all{
        {bcast, ECO_TRIAL(Bcast, Ibcast, a.in, a.bytes, mpi.byte, a.root, a.comm)},
        {barrier, ECO_TRIAL(Barrier, Ibarrier, a.comm)},
        {scatter, ECO_TRIAL(Scatter, Iscatter, a.in, a.bytes, mpi.byte, a.out, a.bytes, mpi.byte,
                            a.root, a.comm)},
        {scatterv, ECO_TRIAL(Scatterv, Iscatterv, a.in, a.counts, a.places, mpi.byte, a.out,
                             a.bytes, mpi.byte, a.root, a.comm)},
        {gather, ECO_TRIAL(Gather, Igather, a.in, a.bytes, mpi.byte, a.out, a.bytes, mpi.byte,
                           a.root, a.comm)},
        {gatherv, ECO_TRIAL(Gatherv, Igatherv, a.in, a.bytes, mpi.byte, a.out, a.counts, a.places,
                            mpi.byte, a.root, a.comm)},
        {allgather, ECO_TRIAL(Allgather, Iallgather, a.in, a.bytes, mpi.byte, a.out, a.bytes,
                              mpi.byte, a.comm)},
        {allgatherv, ECO_TRIAL(Allgatherv, Iallgatherv, a.in, a.bytes, mpi.byte, a.out, a.counts,
                               a.places, mpi.byte, a.comm)},
        {alltoall,
         ECO_TRIAL(Alltoall, Ialltoall, a.in, a.bytes, mpi.byte, a.out, a.bytes, mpi.byte, a.comm)},
        {alltoallv, ECO_TRIAL(Alltoallv, Ialltoallv, a.in, a.counts, a.places, mpi.byte, a.out,
                              a.counts, a.places, mpi.byte, a.comm)},
        {alltoallw, ECO_TRIAL(Alltoallw, Ialltoallw, a.in, a.counts, a.places, a.types, a.out,
                              a.counts, a.places, a.types, a.comm)},
        {reduce,
         ECO_TRIAL(Reduce, Ireduce, a.in, a.out, a.elements, mpi.real64, mpi.sum, a.root, a.comm)},
        {allreduce,
         ECO_TRIAL(Allreduce, Iallreduce, a.in, a.out, a.elements, mpi.real64, mpi.sum, a.comm)},
        {scan, ECO_TRIAL(Scan, Iscan, a.in, a.out, a.elements, mpi.real64, mpi.sum, a.comm)},
        {exscan, ECO_TRIAL(Exscan, Iexscan, a.in, a.out, a.elements, mpi.real64, mpi.sum, a.comm)},
        {reduce_scatter, ECO_TRIAL(Reduce_scatter, Ireduce_scatter, a.in, a.out, a.element_counts,
                                   mpi.real64, mpi.sum, a.comm)},
        {reduce_scatter_block, ECO_TRIAL(Reduce_scatter_block, Ireduce_scatter_block, a.in, a.out,
                                         a.elements / a.ranks, mpi.real64, mpi.sum, a.comm)},
    };
    return all;
}

}  // namespace

TrialCall trial_call(Operation operation, CallForm form) {
    const auto call = trial_calls().find(operation);
    return call == trial_calls().end() ? nullptr : call->second[static_cast<std::size_t>(form)];
}

#ifdef ECO_NO_PERSISTENT
#define ECO_TAKEN_INIT(...)
#else
#define ECO_TAKEN_INIT(name) all.name##_init = &eco_##name##_init;
#endif
const Native& with_eco() {
    static const Native functions = [] {
        Native all = native();
#define ECO_COLLECTIVE(name, mpi, ...) all.mpi = &eco_##mpi;
#define ECO_OWN_COLLECTIVE(...)
#define ECO_COLLECTIVE_WITHOUT_COUNT ECO_COLLECTIVE
#include "eco/schedule/operations.def"
#define ECO_COLLECTIVE(name, mpi, ...)                                                             \
    all.I##name = &eco_I##name;                                                                    \
    ECO_TAKEN_INIT(mpi)
#define ECO_OWN_COLLECTIVE(...)
#define ECO_COLLECTIVE_WITHOUT_COUNT ECO_COLLECTIVE
#include "eco/schedule/operations.def"
        all.Wait = &eco_Wait;
        return all;
    }();
    return functions;
}

}  // namespace eco
