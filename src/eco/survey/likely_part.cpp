// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/likely_part.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "eco/base/at.h"

namespace eco {

namespace {

bool has(unsigned part, std::size_t vertex) { return ((part >> vertex) & 1U) != 0; }

}  // namespace

std::vector<int> likely_part(int vertices, const std::vector<StreamRate>& streams,
                             std::mt19937& random) {
    const std::vector<double> x = over_ends(vertices, streams);
    const std::size_t n = at(vertices);
    // Of each two vertices, both ways: what their streams lacked of their ends' rates, and how many
    // there were.
    std::vector<double> lacked(n * n, 0), count(n * n, 0);
    for (std::size_t s = 0; s < streams.size(); ++s) {
        const auto [from, to] = std::minmax(streams[s].from, streams[s].to);
        lacked[at(from) * n + at(to)] += 1 - x[s];
        ++count[at(from) * n + at(to)];
    }
    std::vector<unsigned> best;
    double most = 0;
    // Vertex 0 is never in it: a part and the rest are one guess.
    for (unsigned part = 2; part < 1U << n; part += 2) {
        const int size = std::popcount(part);
        if (size < 2 || vertices - size < 2) continue;
        double across = 0, inside = 0, streams_across = 0, streams_inside = 0;
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = a + 1; b < n; ++b) {
                const bool crosses = has(part, a) != has(part, b);
                (crosses ? across : inside) += lacked[a * n + b];
                (crosses ? streams_across : streams_inside) += count[a * n + b];
            }
        if (streams_across == 0 || streams_inside == 0) continue;
        // The difference of the two means, in what so many streams leave to chance.
        const double score = (across / streams_across - inside / streams_inside) /
                             std::sqrt(1 / streams_across + 1 / streams_inside);
        if (score < most) continue;
        if (score > most) best.clear();
        most = score;
        best.push_back(part);
    }
    unsigned chosen = best.empty() ? 0b110U : best[random() % best.size()];
    if (2 * std::popcount(chosen) > vertices) chosen = ~chosen;
    std::vector<int> found;
    for (int v = 0; v < vertices; ++v)
        if (has(chosen, at(v))) found.push_back(v);
    return found;
}

}  // namespace eco
