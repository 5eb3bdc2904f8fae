// Cuts a message into one stripe for each rail. Called by the receiver of a long message, which
// tells the sender, so that both agree.
#pragma once

#include <vector>

#include "eco/base/units.h"

namespace eco {

// Stripes that take equally long at these rates (any unit, above 0), one after the other in the
// message; the sum is `bytes`. Their ends lie on multiples of 64 bytes; a rail whose part would be
// shorter than that gets nothing.
std::vector<Bytes> cut_stripes(Bytes bytes, const std::vector<double>& rates);

}  // namespace eco
