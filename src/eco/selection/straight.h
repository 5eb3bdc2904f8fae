// SPDX-License-Identifier: BSD-3-Clause
// Which shares of a message, or of all blocks, are worth sending straight to each group instead of
// by way of another one (TreeParameters::straight). Used by candidates and their variants.
#pragma once

#include <vector>

#include "eco/base/units.h"
#include "eco/schedule/collective.h"

namespace eco {

// In hundredths, between 0 and 100. A message (bytes long): what crosses the link of the root's
// group so late that no other group can forward it in time, by the inter-cluster costs; none if
// they are not known. Blocks: those of groups whose link, or that of whoever gets the most, is not
// filled by it; and with them so many of the others that no link is. Empty: all or nothing. O(P).
std::vector<int> straight_shares(const Request& request, Bytes bytes);

}  // namespace eco
