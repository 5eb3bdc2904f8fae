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
// they are not known. Blocks (of one length): those of the groups that may send all of theirs to
// each other group without carrying more than the busiest link must anyway; and a second share,
// with as many of the other groups' blocks as find room too. Empty: none is worth it. O(P).
std::vector<int> straight_shares(const Request& request, Bytes bytes);

}  // namespace eco
