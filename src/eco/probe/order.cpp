#include "eco/probe/order.h"

#include <algorithm>
#include <random>

namespace eco {

std::vector<int> in_order(std::vector<int> ring, const std::string& order) {
    if (order == "near") return ring;
    if (order == "launched") {
        std::sort(ring.begin(), ring.end());
        return ring;
    }
    std::mt19937 random(static_cast<unsigned>(std::stoul(order.substr(10))));
    // Not std::shuffle: its draws differ between standard libraries.
    for (std::size_t i = ring.size(); i > 1; --i) std::swap(ring[i - 1], ring[random() % i]);
    return ring;
}

}  // namespace eco
