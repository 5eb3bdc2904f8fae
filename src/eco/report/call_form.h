// SPDX-License-Identifier: BSD-3-Clause
// The forms of a collective (blocking, …) and their names in reports. Only blocking calls are
// timed: others overlap with the program. Used by the job's count of calls and by the report.
#pragma once

#include <string>

namespace eco {

enum class CallForm { blocking, nonblocking, persistent };

const char* to_text(CallForm form);
CallForm parse_call_form(const std::string& text);  // throws Error

// "bcast", "ibcast", "bcast_init".
std::string name_in_form(const std::string& operation, CallForm form);

}  // namespace eco
