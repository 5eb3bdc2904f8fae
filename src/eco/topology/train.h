// SPDX-License-Identifier: BSD-3-Clause
// Trains of full frames, which show what a token bucket lets pass at once (Medium::burst). Pure.
// Called by `eco measure`.
#pragma once

#include "eco/topology/network.h"

namespace eco {

// Its messages fill a frame each with what any library adds.
inline constexpr Bytes train_message = full_frame.payload - full_frame.message;

// What the wire carries of such a message: with the headers of Ethernet, IP and TCP, and Open MPI's
// of a short message. The overheads of full_frame are larger, since they count acknowledgements;
// those of a train come after it.
inline constexpr Bytes train_frame = train_message + 66 + 24;

// In frames. A plain wire shows one, and up to half of one more where the receiver was late.
inline constexpr double least_burst = 1.75;

// In what a frame takes at the rate of long messages: if the last ones of a train came nearer to
// each other, some of them were still of what passed at once.
inline constexpr double least_apart = 0.85;

inline double train_on_wire(int frames) { return static_cast<double>(frames * train_frame); }

// The messages of a train that come last, each at the rate of the wire.
inline int last_of_train(int frames) { return frames / 2; }

// Bytes on the wire that passed at once of a train whose last message came `took` after its first,
// and whose last ones came `apart` from each other: by the messages that the last one did not wait
// for. What a library adds to a message makes both longer. rate: of messages, bytes per second. 0:
// no more than a frame passed, or nearly all, of which clocks tell nothing.
inline double burst_of_train(int frames, double rate, Seconds took, Seconds apart) {
    const double wire_rate = rate * static_cast<double>(full_frame.payload + full_frame.overhead) /
                             static_cast<double>(full_frame.payload);
    if (apart < least_apart * train_on_wire(1) / wire_rate) return 0;
    const double at_once = train_on_wire(1) * (frames - took / apart);
    return at_once > least_burst * train_on_wire(1) ? at_once : 0;
}

}  // namespace eco
