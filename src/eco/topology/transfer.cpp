// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/transfer.h"

#include <algorithm>

namespace eco {

Cost line_through_ends(const std::vector<Bytes>& sizes, const std::vector<Seconds>& times) {
    const auto more = static_cast<double>(sizes.back() - sizes.front());
    const double per_byte = more > 0 ? std::max(0.0, (times.back() - times.front()) / more) : 0.0;
    return {std::max(0.0, times.front() - per_byte * static_cast<double>(sizes.front())), per_byte};
}

void find_transfer(Model& model, const std::vector<Bytes>& sizes,
                   const std::vector<Matrix>& minimum) {
    const std::size_t hosts = model.send.size();
    model.fixed = model.per_byte = Table(hosts, std::vector<double>(hosts, 0));
    const std::vector<Bytes> ends{sizes.front(), sizes.back()};
    const auto overhead = [&](std::size_t host, Bytes size) {
        return model.send[host].of(size) + model.receive[host].of(size);
    };
    std::vector<Seconds> way(ends.size());
    for (std::size_t a = 0; a < hosts; ++a)
        for (std::size_t b = a + 1; b < hosts; ++b) {
            for (std::size_t end = 0; end < ends.size(); ++end) {
                const Matrix& times = end == 0 ? minimum.front() : minimum.back();
                way[end] = times(static_cast<int>(a), static_cast<int>(b)) -
                           (overhead(a, ends[end]) + overhead(b, ends[end])) / 2;
            }
            const Cost line = line_through_ends(ends, way);
            model.fixed[a][b] = model.fixed[b][a] = line.fixed;
            model.per_byte[a][b] = model.per_byte[b][a] = line.per_byte;
        }
}

}  // namespace eco
