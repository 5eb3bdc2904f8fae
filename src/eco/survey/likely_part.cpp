// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/likely_part.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "eco/base/at.h"

namespace eco {

namespace {

// Beginnings of the search among many vertices.
constexpr int beginnings = 8;

bool has(unsigned part, std::size_t vertex) { return ((part >> vertex) & 1U) != 0; }

// What streams lacked of their ends' rates, and how many there were.
struct Lacked {
    double sum = 0, count = 0;
    Lacked& operator+=(const Lacked& other) {
        sum += other.sum;
        count += other.count;
        return *this;
    }
    Lacked operator-(const Lacked& other) const { return {sum - other.sum, count - other.count}; }
};

// How much slower streams across are, in what so many streams leave to chance.
double score(const Lacked& across, const Lacked& inside) {
    if (across.count < 1 || inside.count < 1) return 0;
    return (across.sum / across.count - inside.sum / inside.count) /
           std::sqrt(1 / across.count + 1 / inside.count);
}

// Of each two vertices, both ways: n×n, the lower number first.
std::vector<Lacked> of_pairs(std::size_t n, const std::vector<StreamRate>& streams,
                             const std::vector<double>& x) {
    std::vector<Lacked> found(n * n);
    for (std::size_t s = 0; s < streams.size(); ++s) {
        const auto [from, to] = std::minmax(streams[s].from, streams[s].to);
        found[at(from) * n + at(to)] += {1 - x[s], 1};
    }
    return found;
}

std::vector<bool> best_of_all(std::size_t n, const std::vector<Lacked>& pairs,
                              std::mt19937& random) {
    std::vector<unsigned> best;
    double most = 0;
    // Vertex 0 is never in it: a part and the rest are one guess.
    for (unsigned part = 2; part < 1U << n; part += 2) {
        const auto size = at(std::popcount(part));
        if (size < 2 || n - size < 2) continue;
        Lacked across, inside;
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = a + 1; b < n; ++b)
                (has(part, a) != has(part, b) ? across : inside) += pairs[a * n + b];
        const double now = score(across, inside);
        if (now < most) continue;
        if (now > most) best.clear();
        most = now;
        best.push_back(part);
    }
    const unsigned chosen = best.empty() ? 0b110U : best[random() % best.size()];
    std::vector<bool> found;
    for (std::size_t v = 0; v < n; ++v) found.push_back(has(chosen, v));
    return found;
}

// One vertex after the other changes sides where that parts them better.
std::vector<bool> best_found(std::size_t n, const std::vector<Lacked>& pairs,
                             std::mt19937& random) {
    std::vector<std::vector<std::size_t>> partners(n);
    Lacked all;
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a + 1; b < n; ++b) {
            if (pairs[a * n + b].count == 0) continue;
            partners[a].push_back(b);
            partners[b].push_back(a);
            all += pairs[a * n + b];
        }
    std::vector<bool> best;
    double most = -1;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (int begin = 0; begin < beginnings; ++begin) {
        std::shuffle(order.begin(), order.end(), random);
        std::vector<bool> part(n, false);
        for (std::size_t i = 0; i < n / 2; ++i) part[order[i]] = true;
        std::size_t size = n / 2;
        Lacked across;
        for (std::size_t a = 0; a < n; ++a)
            for (const std::size_t b : partners[a])
                if (a < b && part[a] != part[b]) across += pairs[a * n + b];
        double now = score(across, all - across);
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::size_t v : order) {
                const std::size_t then = part[v] ? size - 1 : size + 1;
                if (then < 2 || n - then < 2) continue;
                Lacked moved = across;
                for (const std::size_t other : partners[v]) {
                    const Lacked& pair = pairs[std::min(v, other) * n + std::max(v, other)];
                    if (part[v] == part[other])
                        moved += pair;
                    else
                        moved = moved - pair;
                }
                const double better = score(moved, all - moved);
                if (better <= now + 1e-9) continue;
                part[v] = !part[v];
                size = then;
                across = moved;
                now = better;
                changed = true;
            }
        }
        if (now > most) {
            most = now;
            best = part;
        }
    }
    return best;
}

}  // namespace

std::vector<int> likely_part(int vertices, const std::vector<StreamRate>& streams,
                             std::mt19937& random) {
    const std::size_t n = at(vertices);
    const auto pairs = of_pairs(n, streams, over_ends(vertices, streams));
    const auto part = vertices <= most_vertices_for_all_parts ? best_of_all(n, pairs, random)
                                                              : best_found(n, pairs, random);
    const auto size = at(std::count(part.begin(), part.end(), true));
    std::vector<int> found;
    for (int v = 0; v < vertices; ++v)
        if (part[at(v)] == (2 * size <= n)) found.push_back(v);
    return found;
}

}  // namespace eco
