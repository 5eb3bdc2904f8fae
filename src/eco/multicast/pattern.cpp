// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/pattern.h"

#include <algorithm>

#include "eco/base/error.h"
#include "eco/base/written.h"

namespace eco::multicast {

namespace {

constexpr int most_ranks = 4096;           // the matrices of more fill the memory
constexpr double most_bytes = 1e15;        // exact in a double
constexpr double longest_seconds = 86400;  // of one send, transfer or receive

[[noreturn]] void refuse(const std::string& origin, const std::string& why) {
    throw Error(Code::bad_input, origin + ": " + why);
}

template <typename Name>
void check_cost(const Cost& cost, Name name, const std::string& origin) {
    for (const double value : {cost.fixed, cost.per_byte})
        if (!(value >= 0 && value <= longest_seconds))
            refuse(origin, name() + " is " + written(value) +
                               "; a cost is 0 or more seconds, a day at most");
}

void check_message(Message& message, int ranks, const std::string& where,
                   const std::string& origin) {
    const std::string known = "; ranks go from 0 to " + std::to_string(ranks - 1);
    if (message.source < 0 || message.source >= ranks)
        refuse(origin, where + " has an unknown rank as its source" + known);
    if (message.bytes < 0 || static_cast<double>(message.bytes) > most_bytes)
        refuse(origin, where + " has " + std::to_string(message.bytes) +
                           " bytes; must be a whole number from 0 to 1e15");
    auto& to = message.destinations;
    std::sort(to.begin(), to.end());
    if (!to.empty() && (to.front() < 0 || to.back() >= ranks))
        refuse(origin, where + " has an unknown rank among its destinations" + known);
    if (std::binary_search(to.begin(), to.end(), message.source))
        refuse(origin, where + " has its source, rank " + std::to_string(message.source) +
                           ", among its destinations; remove it, the source has the message");
    const auto twice = std::adjacent_find(to.begin(), to.end());
    if (twice != to.end())
        refuse(origin, where + " has rank " + std::to_string(*twice) +
                           " twice among its destinations; name it once");
}

}  // namespace

std::size_t Pattern::deliveries() const {
    std::size_t count = 0;
    for (const auto& message : messages) count += message.destinations.size();
    return count;
}

void check(Pattern& pattern, const std::string& origin) {
    const CostModel& model = pattern.model;
    const std::size_t ranks = model.send.size();
    if (ranks == 0) refuse(origin, "there are no ranks");
    if (ranks > most_ranks)
        refuse(origin, std::to_string(ranks) + " ranks; at most " + std::to_string(most_ranks));
    if (model.receive.size() != ranks)
        refuse(origin, "\"send\" has " + std::to_string(ranks) + " ranks and \"receive\" " +
                           std::to_string(model.receive.size()) + "; name each rank in both");
    if (model.transfers.size() != ranks * ranks) refuse(origin, "\"transfer\" is not square");
    for (std::size_t i = 0; i < ranks; ++i) {
        const std::string me = std::to_string(i);
        check_cost(model.send[i], [&] { return "send of rank " + me; }, origin);
        check_cost(model.receive[i], [&] { return "receive of rank " + me; }, origin);
        for (std::size_t j = 0; j < ranks; ++j) {
            const auto name = [&] {
                return "transfer from rank " + me + " to " + std::to_string(j);
            };
            check_cost(model.transfers[i * ranks + j], name, origin);
        }
    }
    for (std::size_t k = 0; k < pattern.messages.size(); ++k)
        check_message(pattern.messages[k], static_cast<int>(ranks), "message " + std::to_string(k),
                      origin);
}

}  // namespace eco::multicast
