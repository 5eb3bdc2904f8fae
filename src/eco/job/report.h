// SPDX-License-Identifier: BSD-3-Clause
// ECO_VERBOSE: which choice ran, per call site and size, told by rank 0 at the end of the job.
#pragma once

#include <string>

#include "eco/planners/choice.h"
#include "eco/run/execution.h"
#include "eco/schedule/collective.h"

namespace eco {

// site: address in the program that called. choice: its written form. Other forms
// are told apart: "ibcast", "bcast_init".
enum class CallForm { blocking, nonblocking, persistent };
void count_call(Operation operation, Bytes bytes, const void* site, const std::string& choice,
                CallForm form = CallForm::blocking);

// ECO_VERBOSE=2: each plan when it is made. kept: of the communicator's earlier ones.
void report_plan(const Choice& choice, const Request& request, const Prepared& prepared,
                 std::size_t kept);

void print_report();

}  // namespace eco
