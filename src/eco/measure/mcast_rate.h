// SPDX-License-Identifier: BSD-3-Clause
// From trains of datagrams to the rate at which an area may be multicast to. A sender that is too
// fast overflows a queue, and does so in every train; some networks lose datagrams at any rate, and
// a slower sender would gain nothing there. Sends nothing itself. Called by measure_mcast.h.
#pragma once

#include <functional>
#include <vector>

namespace eco {

struct McastTrain {
    std::vector<double> loss;  // per receiver: the part of the datagrams that did not arrive
    double arrived = 0;        // bytes on the wire per second at the slowest, lost ones included
};

// Sends one from the area's first host or from its last; the receivers in the same order always.
using SendTrain = std::function<McastTrain(bool by_last, double rate)>;

struct McastRate {
    bool works = false;
    bool none_came = false;  // somewhere nothing arrived
    bool tried = false;      // trains at this rate went well; else none were left for it
    double rate = 0;         // bytes on the wire per second
    double loss = 0;         // at the receiver that loses most, usually
};

// Two trains where nothing is lost; expected: the rate of the first. At most `most` trains, some of
// them kept for the last host.
McastRate find_mcast_rate(double expected, int most, const SendTrain& send);

}  // namespace eco
