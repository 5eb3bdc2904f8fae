#include "eco/plan/relay_bound.h"

#include <algorithm>

namespace eco {

// The shortest way from any host of one party to any of another, by way of any others; P×P.
static Table ways(const Distances& distances, const std::vector<Party>& parties) {
    const std::size_t count = parties.size();
    Table way(count, std::vector<Seconds>(count, 0));
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) {
            if (i == j) continue;
            way[i][j] = Distances::never;
            for (const std::size_t a : parties[i])
                for (const std::size_t b : parties[j])
                    way[i][j] = std::min(way[i][j], distances.edge(a, b));
        }
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                way[i][j] = std::min(way[i][j], way[i][k] + way[k][j]);
    return way;
}

Seconds relay_bound(const Distances& distances, const std::vector<Party>& parties, std::size_t own,
                    Seconds once, bool backwards) {
    if (parties.size() < 3) return 0;
    const Table way = ways(distances, parties);
    // Between the crossing and another party having it; and a third having it of that one.
    Seconds one = Distances::never, two = Distances::never;
    for (std::size_t j = 0; j < parties.size(); ++j) {
        if (j == own) continue;
        Seconds first = Distances::never;
        for (const std::size_t a : parties[own])
            for (const std::size_t b : parties[j])
                first = std::min(first, backwards ? distances.send(b)
                                                  : distances.delay(a, b) + distances.receive(b));
        one = std::min(one, first);
        for (std::size_t k = 0; k < parties.size(); ++k)
            if (k != own && k != j)
                two = std::min(two, first + (backwards ? way[k][j] : way[j][k]));
    }
    const double others = static_cast<double>(parties.size()) - 1;
    const Seconds directly = one + others * once;
    return directly <= two ? directly : two + once - (two - one) / others;
}

}  // namespace eco
