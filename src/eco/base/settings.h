// SPDX-License-Identifier: BSD-3-Clause
// The one place that reads ECO_* from the environment. Turns the variables into Settings; for an
// invalid value there is a complaint, and the default is used. Rank 0 of a job reads them and sends
// them to the others, so that all ranks decide alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace eco {

// What a job does with what can be learned while it runs (ECO_LEARN).
enum class Learn {
    off,      // neither uses nor learns anything
    settled,  // uses what earlier jobs learned
    on,       // and learns; reductions keep the profile's order of evaluation, and so their bits
    all,      // and so do reductions, whose bits may then change
};

// What becomes of collectives that do not block (ECO_NONBLOCKING).
enum class Nonblocking {
    off,       // native
    on,        // taken on communicators that have had some, and on what is made of these
    expected,  // taken on all communicators from the first
};

// What becomes of communicators that the program lets the library renumber (ECO_REORDER).
enum class Reorder {
    native,  // what the library does
    on,      // ECO renumbers ranks so that neighbours are near each other
};

struct Settings {
    bool enabled = true;          // ECO_DISABLE=1 turns ECO off
    int verbose = 0;              // ECO_VERBOSE: 0 warnings, 1 what was used, 2 each plan
    std::string report;           // ECO_REPORT: where the report goes; empty: nowhere
    std::string profile;          // ECO_PROFILE: path; empty: look in the store
    std::string choice = "auto";  // ECO_CHOICE: auto, native, eco, or a planner description
    bool keep_order = false;      // ECO_KEEP_ORDER=1: reductions in the native order
    bool multicast = true;        // ECO_MULTICAST: on, off
    Nonblocking nonblocking = Nonblocking::on;  // ECO_NONBLOCKING: on, expected, off
    bool checks_network = true;                 // ECO_NETWORK_CHECK: on, off
    Learn learn = Learn::on;                    // ECO_LEARN: on, all, settled, off
    Reorder reorder = Reorder::native;          // ECO_REORDER: native, on
    std::vector<std::string> complaints;        // one sentence per variable that makes no sense

    // Whether calls are counted and timed.
    bool reports() const { return verbose > 0 || !report.empty(); }
};

using Environment = std::function<const char*(const char*)>;  // getenv, or a test's

Settings read_settings(const Environment& environment);
Settings read_settings();

// ECO_BEGIN=later: MPI_Init does not wait for other ranks. Each rank reads it, as it counts before
// rank 0 can send anything; so all must have the same.
bool begins_later(const Environment& environment);
bool begins_later();

// Where profiles are kept that were measured without saying where: $XDG_DATA_HOME/eco/profiles.
std::string profile_store(const Environment& environment);
std::string profile_store();

// Where profiles are looked for, in this order: the store, the folders of ECO_PROFILE_PATH (split
// at colons), /etc/eco/profiles.
std::vector<std::string> profile_folders(const Environment& environment);
std::vector<std::string> profile_folders();

}  // namespace eco
