// SPDX-License-Identifier: BSD-3-Clause
#include "draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "eco/base/error.h"

namespace eco::multicast {

namespace {

constexpr double least_fixed = 80e-6, most_fixed = 400e-6;
constexpr double least_per_byte = 0.0001e-6, most_per_byte = 0.01e-6;
constexpr Bytes kib = 1024, mib = 1024 * kib;

// The standard's distributions differ between libraries; its generators do not.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : generator_(seed) {}
    int below(int n) { return static_cast<int>(generator_() % static_cast<std::uint64_t>(n)); }
    double share() { return static_cast<double>(generator_() >> 11U) * 0x1p-53; }
    std::vector<Rank> some(std::vector<Rank> of, int count) {
        for (int n = 0; n < count; ++n) {
            const int other = n + below(static_cast<int>(of.size()) - n);
            std::swap(of[static_cast<std::size_t>(n)], of[static_cast<std::size_t>(other)]);
        }
        of.resize(static_cast<std::size_t>(count));
        return of;
    }

private:
    std::mt19937_64 generator_;
};

Cost draw_cost(const Draw& how, int of_class, Dice& dice) {
    if (how.spacing == Spacing::free)
        return {least_fixed + dice.share() * (most_fixed - least_fixed),
                least_per_byte + dice.share() * (most_per_byte - least_per_byte)};
    const double at = how.classes > 1 ? double(of_class) / (how.classes - 1) : 0.5;
    if (how.spacing == Spacing::geometric)
        return {least_fixed * std::pow(most_fixed / least_fixed, at),
                least_per_byte * std::pow(most_per_byte / least_per_byte, at)};
    return {std::lerp(least_fixed, most_fixed, at), std::lerp(least_per_byte, most_per_byte, at)};
}

Bytes draw_length(Lengths lengths, Dice& dice) {
    const bool small =
        lengths == Lengths::small || (lengths == Lengths::mixed && dice.below(2) == 0);
    if (small) return 1 + dice.below(kib);
    return dice.below(2) == 0 ? mib : mib + mib / 2;
}

std::vector<Rank> draw_destinations(Destinations reach, const std::vector<Rank>& others,
                                    Dice& dice) {
    const int count = static_cast<int>(others.size());
    if (reach == Destinations::all) return others;
    if (reach == Destinations::any) return dice.some(others, 1 + dice.below(count));
    std::vector<Rank> half;
    for (const Rank rank : others)
        if (dice.below(2) == 0) half.push_back(rank);
    if (half.empty()) half.push_back(others[static_cast<std::size_t>(dice.below(count))]);
    return half;
}

template <typename Value>
Value parse_word(const std::string& word, const char* what,
                 std::initializer_list<std::pair<const char*, Value>> known) {
    std::string words;
    for (const auto& [name, value] : known) {
        if (word == name) return value;
        words += (words.empty() ? "" : ", ") + std::string(name);
    }
    throw Error(Code::usage, "'" + word + "' is an unknown " + what + "; choose from " + words);
}

}  // namespace

Pattern draw(const Draw& how, std::uint64_t seed) {
    if (how.ranks < 2 || how.ranks > 1024)
        throw Error(Code::usage, std::to_string(how.ranks) + " ranks; must be 2 to 1024");
    if (how.sources < 1 || how.sources > how.ranks)
        throw Error(Code::usage, std::to_string(how.sources) + " sources; must be from 1 to the " +
                                     std::to_string(how.ranks) + " ranks");
    if (how.classes < 1)
        throw Error(Code::usage,
                    std::to_string(how.classes) + " classes of ranks; must be 1 or more");
    if (!(how.bits_per_second >= 1 && how.bits_per_second <= 1e15))
        throw Error(Code::usage, "the rate must be from 1 to 1e15 bits per second");
    Dice dice(seed);
    Pattern pattern;
    for (int i = 0; i < how.ranks; ++i) {
        const int sender = dice.below(how.classes);
        const int receiver = how.apart ? dice.below(how.classes) : sender;
        pattern.model.send.push_back(draw_cost(how, sender, dice));
        pattern.model.receive.push_back(draw_cost(how, receiver, dice));
    }
    const auto ranks = static_cast<std::size_t>(how.ranks);
    pattern.model.transfers.assign(ranks * ranks, {0, 8 / how.bits_per_second});
    std::vector<Rank> all(ranks);
    std::iota(all.begin(), all.end(), 0);
    auto sources = dice.some(all, how.sources);
    std::sort(sources.begin(), sources.end());
    for (const Rank source : sources) {
        std::vector<Rank> others = all;
        others.erase(others.begin() + source);
        const Bytes bytes = draw_length(how.lengths, dice);
        pattern.messages.push_back({source, bytes, draw_destinations(how.reach, others, dice)});
    }
    check(pattern, "a drawn pattern");
    return pattern;
}

Lengths parse_lengths(const std::string& word) {
    return parse_word<Lengths>(
        word, "message lengths",
        {{"small", Lengths::small}, {"large", Lengths::large}, {"mixed", Lengths::mixed}});
}

Destinations parse_reach(const std::string& word) {
    return parse_word<Destinations>(
        word, "reach",
        {{"all", Destinations::all}, {"half", Destinations::half}, {"any", Destinations::any}});
}

Spacing parse_spacing(const std::string& word) {
    return parse_word<Spacing>(
        word, "spacing",
        {{"even", Spacing::even}, {"geometric", Spacing::geometric}, {"free", Spacing::free}});
}

}  // namespace eco::multicast
