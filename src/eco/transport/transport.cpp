// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/transport.h"

#include "eco/base/check.h"

namespace eco {

void Transport::mcast(int, const void*, Bytes, std::span<const Rank>, int) { ECO_CHECK(false); }

void Transport::mcast_recv(int, void*, Bytes, Rank, int) { ECO_CHECK(false); }

}  // namespace eco
