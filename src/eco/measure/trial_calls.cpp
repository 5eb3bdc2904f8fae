// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/trial_calls.h"

#include <array>
#include <map>

#include "eco/preload/wrappers.h"

namespace eco {

namespace {

using Calls = std::array<TrialCall, 3>;  // by form

#define ECO_LIST(...) __VA_ARGS__
#ifdef ECO_NO_PERSISTENT
#define ECO_TRIAL_PERSISTENT(...) nullptr
#else
#define ECO_TRIAL_PERSISTENT(Name, ...)                                                            \
    [](const Native& mpi, const TrialArguments& a) {                                               \
        return mpi.Name##_init(__VA_ARGS__, mpi.info_null, a.request);                             \
    }
#endif

const std::map<Operation, Calls>& trial_calls() {
    static const auto& all = *new std::map<Operation, Calls>{
#define ECO_COLLECTIVE(name, Name, base, blocks, begins, ends, rules, aliases, known, arguments)   \
    {Operation::name,                                                                              \
     {[](const Native& mpi, const TrialArguments& a) { return mpi.Name arguments; },               \
      [](const Native& mpi, const TrialArguments& a) {                                             \
          return mpi.I##name(ECO_LIST arguments, a.request);                                       \
      },                                                                                           \
      ECO_TRIAL_PERSISTENT(Name, ECO_LIST arguments)}},
#define ECO_OWN_COLLECTIVE(...)
#include "eco/schedule/operations.def"
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
