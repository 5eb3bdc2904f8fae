// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/cost_model.h"

#include <algorithm>

namespace eco::multicast {

CostModel model_of(const Network& network, const std::vector<int>& host_of) {
    constexpr Bytes one_frame = 1024, many = 65536;
    CostModel model;
    for (const int host : host_of) {
        const auto h = static_cast<std::size_t>(host);
        model.send.push_back({network.send[h].fixed, network.send[h].per_byte});
        model.receive.push_back({network.receive[h].fixed, network.receive[h].per_byte});
    }
    for (std::size_t from = 0; from < host_of.size(); ++from)
        for (std::size_t to = 0; to < host_of.size(); ++to) {
            const auto transfer = [&](Bytes bytes) {
                return network.alone(host_of[from], host_of[to], bytes) -
                       model.send[from].of(bytes) - model.receive[to].of(bytes);
            };
            Cost cost;
            if (from != to) {
                cost.per_byte = std::max(0.0, (transfer(many) - transfer(one_frame)) /
                                                  static_cast<double>(many - one_frame));
                cost.fixed = std::max(0.0, transfer(one_frame) - cost.per_byte * one_frame);
            }
            model.transfers.push_back(cost);
        }
    return model;
}

}  // namespace eco::multicast
