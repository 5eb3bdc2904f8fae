// SPDX-License-Identifier: BSD-3-Clause
// Simulated hosts have no cards: no rails are opened. libfabric's headers and SMPI's do not compile
// together.
#include "eco/job/job_rails.h"

namespace eco {

JobRails open_rails(const Session&) { return {}; }

bool may_use_rails(const Settings&, const Profile&) { return false; }

}  // namespace eco
