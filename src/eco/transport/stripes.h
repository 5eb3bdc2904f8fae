// SPDX-License-Identifier: BSD-3-Clause
// Cuts a message into one stripe for each rail, and says from which length on this is faster.
// Called by the receiver of a long message, which tells the sender, so that both agree; and by
// measuring.
#pragma once

#include <vector>

#include "eco/base/units.h"

namespace eco {

// Stripes that take equally long at these rates (any unit, above 0), one after the other in the
// message; the sum is `bytes`. Their ends lie on multiples of 64 bytes; a rail whose part would be
// shorter than that gets nothing.
std::vector<Bytes> cut_stripes(Bytes bytes, const std::vector<double>& rates);

// What messages of these sizes (ascending) took over one rail, and in stripes over all: the size up
// to which they should go over one, so that all together lose the least against the better of both.
// At least the first size.
Bytes longest_whole(const std::vector<Bytes>& sizes, const std::vector<Seconds>& whole,
                    const std::vector<Seconds>& striped);

}  // namespace eco
