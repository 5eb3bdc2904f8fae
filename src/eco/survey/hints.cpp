// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/hints.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>
#include <utility>

namespace eco {

namespace {

// "rack10-node7": words and numbers by turns, numbers as numbers.
std::vector<std::pair<std::string, std::uint64_t>> parts_of(const std::string& name) {
    std::vector<std::pair<std::string, std::uint64_t>> parts;
    for (std::size_t i = 0; i < name.size();) {
        auto& [word, number] = parts.emplace_back("", 0);
        while (i < name.size() && !std::isdigit(static_cast<unsigned char>(name[i])))
            word += name[i++];
        // Longer ones are no host numbers.
        for (int digits = 0;
             i < name.size() && digits < 18 && std::isdigit(static_cast<unsigned char>(name[i]));
             ++digits)
            number = 10 * number + static_cast<std::uint64_t>(name[i++] - '0');
    }
    return parts;
}

}  // namespace

std::vector<std::vector<int>> likely_orders(const std::vector<Hint>& hosts) {
    std::vector<int> given(hosts.size());
    std::iota(given.begin(), given.end(), 0);
    std::vector<std::vector<std::pair<std::string, std::uint64_t>>> names;
    for (const Hint& host : hosts) names.push_back(parts_of(host.name));
    const auto at = [](int host) { return static_cast<std::size_t>(host); };
    const auto by_name = [&](int a, int b) { return names[at(a)] < names[at(b)]; };
    const auto all_have = [&](const std::function<bool(const Hint&)>& has) {
        return std::all_of(hosts.begin(), hosts.end(), has);
    };
    std::vector<std::vector<int>> orders;
    using Less = std::function<bool(int, int)>;
    const auto sorted = [](std::vector<int> order, const Less& less) {
        std::stable_sort(order.begin(), order.end(), less);
        return order;
    };
    const auto keep = [&](std::vector<int> order) {
        if (std::find(orders.begin(), orders.end(), order) == orders.end())
            orders.push_back(std::move(order));
    };
    const auto named = sorted(given, by_name);
    // Without addresses as by name.
    const bool address = all_have([](const Hint& host) { return !host.address.empty(); });
    const auto addressed = !address ? named : sorted(given, [&](int a, int b) {
        return hosts[at(a)].address < hosts[at(b)].address;
    });
    if (all_have([](const Hint& host) { return !host.topology.empty(); }))
        keep(sorted(named,
                    [&](int a, int b) { return hosts[at(a)].topology < hosts[at(b)].topology; }));
    // A topology says which hosts share a switch, whatever their NICs are.
    else if (all_have([](const Hint& host) { return host.megabits > 0; }))
        keep(sorted(addressed,
                    [&](int a, int b) { return hosts[at(a)].megabits < hosts[at(b)].megabits; }));
    keep(addressed);
    keep(named);
    return orders;
}

}  // namespace eco
