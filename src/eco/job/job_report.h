// SPDX-License-Identifier: BSD-3-Clause
// ECO_VERBOSE and ECO_REPORT: turns the counts (call_counts.h) into a Report (report/report.h),
// which rank 0 prints and writes at the end of the job.
#pragma once

#include "eco/base/settings.h"
#include "eco/planners/choice.h"
#include "eco/run/execution.h"

namespace eco {

// ECO_VERBOSE=2: each plan when it is made. kept: of the communicator's earlier ones.
void report_plan(const Choice& choice, const Request& request, const Prepared& prepared,
                 std::size_t kept, std::size_t bytes);

// In MPI_Init: the program's time begins.
void note_start_for_report();

// Both are collective over MPI_COMM_WORLD, where settings.reports(). The first when the session has
// begun: compares the hosts' clocks. The second in MPI_Finalize: rank 0 gets to know who waited.
// Neither throws: without them the report has only rank 0's times.
void align_report_clocks() noexcept;
void collect_report() noexcept;

// Rank 0, once communicators have said what they learned. Without a session: there were no
// collectives. A file that cannot be written is told in a line, and the report printed instead.
void give_report(const Settings& settings);

}  // namespace eco
