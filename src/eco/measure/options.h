// SPDX-License-Identifier: BSD-3-Clause
// The probe's command line as a value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eco/report/call_form.h"
#include "eco/schedule/collective.h"

namespace eco {

struct Options {
    std::string verb;  // measure, tune, bench, uplinks, reach
    std::string libmpi;
    // Names and networks that the library uses; empty: its own choice.
    std::vector<std::string> interfaces;
    // reach
    std::string hosts;  // all of them, as text (address_check.h)
    int port = 0;
    bool profile_on_stdin = false;
    // measure
    bool partial_on_stdin = false;
    std::vector<Bytes> sizes;
    int round_trips = 5, repeats = 0;
    Bytes partition_bytes = 1024;
    double tolerance = -1;  // -1: the known profile's, or the paper's
    bool tune = true, all_pairs = false, multicast = true;
    bool facts = false;        // tell what hosts say of themselves, and of links; predict nothing
    bool collectives = false;  // time the library's own
    // tune and bench
    std::vector<Operation> operations;
    std::vector<std::string> patterns;
    CallForm form = CallForm::blocking;  // bench; tune: blocking or not
    Seconds budget = 0;                  // for one operation and size
    // measure: for everything, 0: as long as the network takes; tune: for all choices, 0: each
    // takes its own time
    Seconds within = 0;
    double launched = 0;  // when the launcher was started, in seconds since 1970; 0: not known
    std::string order = "launched";  // by the launcher; or near, scattered:SEED
};

// Throws Error{usage} with one sentence.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace eco
