// SPDX-License-Identifier: BSD-3-Clause
// The times of a job's collectives, and estimates of their native times (or, if the job ran
// without ECO's schedules, of their times with them), as a value with one written form, JSON
// (docs/formats.md), and one text for people (docs/report.md). Made by the job at its end, read by
// `eco report`.
#pragma once

#include <string>
#include <vector>

#include "eco/base/units.h"
#include "eco/report/call_estimate.h"
#include "eco/report/call_form.h"
#include "eco/report/reorder_row.h"

namespace eco {

inline constexpr int report_version = 2;

// Calls of one operation and size, from one place of the program, that ran in one way.
struct ReportRow {
    std::string operation;  // named in its form: "ibcast", "bcast_init"
    CallForm form = CallForm::blocking;
    Bytes bytes = 0;  // of one call; -1: not known to all ranks
    std::string site;
    std::string choice;  // that ran; natively: that ECO would run
    long calls = 0;
    Seconds time = 0;    // all calls, from the last rank's entry to the last rank's end
    Seconds waited = 0;  // all calls, for late ranks: the mean over ranks
    TimeRange other;     // estimate: natively; where ECO was off: with ECO; zeros if unknown
    Basis basis = Basis::unknown;

    bool blocks() const { return form == CallForm::blocking; }
    bool known() const { return basis != Basis::unknown; }
};

struct Report {
    bool with_eco = true;  // false: ECO_DISABLE
    std::string library;   // family and version
    std::string network;   // `created` of the profile
    std::string profile;   // its file
    int ranks = 0, hosts = 0;
    Seconds whole = 0;             // from MPI_Init to MPI_Finalize, on rank 0
    Seconds start = 0;             // of that, until all ranks had the profile
    bool bits_may_change = false;  // of sums, from job to job: ECO_LEARN=all
    bool other_network = false;    // than the profile's: the job has noticed
    std::vector<ReportRow> rows;
    std::vector<ReorderRow> reorders;
};

std::string to_json(const Report& report);
// Throws Error{bad_input} with one sentence; origin names the file in it.
Report parse_report(const std::string& text, const std::string& origin);

// A table by operation, the heaviest places, and a sentence; at most 75 columns but for the
// profile's path.
std::string to_text(const Report& report);

// Only of calls that block: others overlap with the program.
Seconds total_time(const Report& report);
Seconds total_waited(const Report& report);
// Of those of which it is not known what they would have taken.
Seconds total_unknown(const Report& report);
// With ECO: saved, less the start; without: what ECO would save. Below 0: lost. Of calls of which
// that is known, and never more than they take natively.
TimeRange total_saved(const Report& report);

}  // namespace eco
