// SPDX-License-Identifier: BSD-3-Clause
// Memory of devices (CUDA's and HIP's), which only their driver may access: distinguishes it from
// the host's and copies it. If no such driver is loaded into the process, there is none, and the
// check only sees that nothing has been loaded since. Called by job/call.h
// (docs/decisions/0019-device-memory.md).
#pragma once

#include "eco/base/units.h"

namespace eco {

// Whether a driver is loaded now, at start or by dlopen since.
bool may_have_device_memory();

// Of one address; false where no driver knows it as a device's.
bool is_device_memory(const void* address);

// One of both is a device's. When it returns the bytes are there. Throws Error{environment}.
void copy_device_memory(void* to, const void* from, Bytes bytes);

// Whether there are devices here whose memory cannot be told: Level Zero's, which answers only to
// who has the context that it was allocated in.
bool has_devices_of_unknown_memory();

}  // namespace eco
