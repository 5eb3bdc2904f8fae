// SPDX-License-Identifier: BSD-3-Clause
// The library's part of a choice (inner=native), for which ECO splits its hidden communicators:
// whether it may, and the choices without it where it may not. Called where the session begins and
// where a communicator first needs such a part.
#pragma once

#include "eco/base/settings.h"
#include "eco/job/share.h"
#include "eco/topology/profile.h"

namespace eco {

// The same on all ranks.
bool may_split_hidden(const Whereabouts& where);

// What the profile and a setting name runs by messages alone, in the same form.
void leave_out_native_inside(Profile& profile, Settings& settings);

}  // namespace eco
