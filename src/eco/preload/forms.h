// SPDX-License-Identifier: BSD-3-Clause
// The three forms of a collective: blocking, non-blocking and persistent. Turns one function that
// takes a call into the definitions that stubs.S jumps to. Used by the wrappers of collectives.
#pragma once

#include "eco/job/call.h"
#include "eco/preload/wrappers.h"

#define ECO_LIST(...) __VA_ARGS__

#ifdef ECO_NO_PERSISTENT
#define ECO_PERSISTENT_FORM(...)
#else
#define ECO_PERSISTENT_FORM(suffix, Name, take, taken, parameters, arguments)                      \
    int eco_##Name##_init##suffix(ECO_LIST parameters, MPI_Info info, MPI_Request* request) {      \
        return take(ECO_LIST taken, {ECO_SITE, request, true}, [&] {                               \
            return eco::native().Name##_init##suffix(ECO_LIST arguments, info, request);           \
        });                                                                                        \
    }
#endif

// take(taken…, Caller, native): what does the call. parameters, arguments: of the blocking form, in
// parentheses. suffix: of the large-count twins.
#define ECO_FORMS(suffix, Name, Iname, take, taken, parameters, arguments)                         \
    int eco_##Name##suffix(ECO_LIST parameters) {                                                  \
        return take(ECO_LIST taken, {ECO_SITE},                                                    \
                    [&] { return eco::native().Name##suffix(ECO_LIST arguments); });               \
    }                                                                                              \
    int eco_##Iname##suffix(ECO_LIST parameters, MPI_Request* request) {                           \
        return take(ECO_LIST taken, {ECO_SITE, request},                                           \
                    [&] { return eco::native().Iname##suffix(ECO_LIST arguments, request); });     \
    }                                                                                              \
    ECO_PERSISTENT_FORM(suffix, Name, take, taken, parameters, arguments)
