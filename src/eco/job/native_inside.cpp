// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/native_inside.h"

#include "eco/base/error.h"
#include "eco/mpi/abi.h"
#include "eco/planners/choice.h"
#include "eco/planners/choice_text.h"

namespace eco {

// With threads that make communicators at once Open MPI may never end, if some of these are made by
// MPI_Comm_split (docs/hazards.md); the program's threads may make some meanwhile.
bool may_split_hidden([[maybe_unused]] const Whereabouts& where) {
#if defined(OPEN_MPI)
    return !where.threads_at_once;
#else
    return true;
#endif
}

// The same choices without the library's part of them.
void leave_out_native_inside(Profile& profile, Settings& settings) {
    const auto leave_out = [](std::string& text) {
        try {
            Choice choice = parse_choice(text);
            if (!choice.native_inside()) return;
            choice.set_native_inside(false);
            text = to_text(choice);
        } catch (const Error&) {
            // The chooser complains of it.
        }
    };
    for (Tuned& tuned : profile.tuning) leave_out(tuned.choice);
    if (settings.choice != "auto" && settings.choice != "eco") leave_out(settings.choice);
}

}  // namespace eco
