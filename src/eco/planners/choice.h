// SPDX-License-Identifier: BSD-3-Clause
// What runs a collective: the native function, or a planner and its parameters. Its written form:
// choice_text.h.
#pragma once

#include <compare>
#include <cstdint>
#include <variant>
#include <vector>

#include "eco/planners/tree.h"

namespace eco {

// In each segment the groups come in another order; all: and other ranks are their leaders.
enum class Rotate : std::uint8_t { none, groups, all };

// What a schedule follows. levels: the whole hierarchy; groups: the innermost groups side by side,
// without the wider levels; ranks: contiguous ranks, as the topology-unaware baselines; ring: all
// ranks alike as well, in ring order, so that neighbours are near.
enum class On : std::uint8_t { levels, groups, ranks, ring };
// Whether all ranks are alike to it, in one group.
constexpr bool is_flat(On on) { return on == On::ranks || on == On::ring; }

// What a family is: planners/family.h.
struct PlannerFamily;

// Each family's own parameters, in the order of Family, and its entry, which its planner's file
// defines.
struct NativeParameters {
    static const PlannerFamily planner;
    auto operator<=>(const NativeParameters&) const = default;
};
struct TreeParameters {
    static const PlannerFamily planner;
    Form top{}, inner{};
    // At the levels below the widest, one after the other, instead of `top`; the last for all
    // further ones.
    std::vector<Form> below{};
    Rotate rotate = Rotate::none;
    // inner=native: inside each innermost group the library's own collective, `top` between them.
    bool native_inside = false;
    int straight = 0;  // with top=relay; see Choice
    auto operator<=>(const TreeParameters&) const = default;
};
struct ExchangeParameters {
    static const PlannerFamily planner;
    Form top{}, inner{};  // top: with inner=native only
    Rotate rotate = Rotate::none;
    bool native_inside = false;
    bool split = false;  // each leader adds up one share of the message
    // How many ranks, at most, carry what one group has for another (all-to-all), or what the root
    // has for other groups or gets from them (scatter, gather); 0: one all of it.
    int carriers = 0;
    int straight = 0;  // with split; see Choice
    auto operator<=>(const ExchangeParameters&) const = default;
};
struct RingParameters {
    static const PlannerFamily planner;
    auto operator<=>(const RingParameters&) const = default;
};
struct ButterflyParameters {
    static const PlannerFamily planner;
    auto operator<=>(const ButterflyParameters&) const = default;
};
struct DirectParameters {
    static const PlannerFamily planner;
    auto operator<=>(const DirectParameters&) const = default;
};
struct IndexParameters {
    static const PlannerFamily planner;
    auto operator<=>(const IndexParameters&) const = default;
};
struct OrderedParameters {
    static const PlannerFamily planner;
    auto operator<=>(const OrderedParameters&) const = default;
};
struct McastParameters {
    static const PlannerFamily planner;
    Form top{}, inner{};  // of the tree along which sums are made before they are multicast
    auto operator<=>(const McastParameters&) const = default;
};
struct CirculantParameters {
    static const PlannerFamily planner;
    auto operator<=>(const CirculantParameters&) const = default;
};

enum class Family : std::uint8_t {
    native,     // the MPI library's own collective
    tree,       // along a tree of the hierarchy
    exchange,   // leaders of the widest groups exchange with each other
    ring,       // around the near ring
    butterfly,  // recursive doubling
    direct,     // each rank with each
    index,      // all-to-all in few steps (Bruck et al., 1997)
    ordered,    // scans, along the rank order
    mcast,      // by IP multicast
    circulant,  // in the fewest rounds for any number of ranks (Träff, 2024)
};
using Parameters =
    std::variant<NativeParameters, TreeParameters, ExchangeParameters, RingParameters,
                 ButterflyParameters, DirectParameters, IndexParameters, OrderedParameters,
                 McastParameters, CirculantParameters>;

struct Choice {
    Parameters parameters{};
    // 0: a message carries all the blocks that take its way; else one block or part of the message
    // each, cut into this many.
    int segments = 0;
    int window = 0;  // sends to one rank (direct: exchanges) under way at once; 0 is all
    int ports = 0;   // sends of a rank under way at once; index: messages of a step; 0 is all, or 1
    int rails = 0;   // messages go over so many rails of libfabric's at most; 0: as MPI sends them
    On on = On::levels;

    Choice() = default;
    // With the family's parameters as they are if nothing is said of them.
    explicit Choice(Family family, int segments = 0);
    Choice(Parameters parameters, int segments)
        : parameters(std::move(parameters)), segments(segments) {}

    Family family() const { return static_cast<Family>(parameters.index()); }
    bool is_native() const { return family() == Family::native; }
    bool is_mcast() const { return family() == Family::mcast; }

    // Those of a tree or an exchange; what they are if nothing is said of them, for other families.
    Form top() const;
    Form inner() const;
    const std::vector<Form>& below() const;
    Rotate rotate() const;
    bool rotates() const { return rotate() != Rotate::none; }
    bool native_inside() const;
    bool split() const;
    int carriers() const;
    // Where most of a message reaches a group by way of another one: so much of a hundred goes
    // straight to each group instead. That crosses the sender's link once more for each, but need
    // not arrive so early.
    int straight() const;

    // For these families only.
    TreeParameters& tree() { return std::get<TreeParameters>(parameters); }
    ExchangeParameters& exchange() { return std::get<ExchangeParameters>(parameters); }
    void set_rotate(Rotate rotate);
    void set_native_inside(bool inside = true);

    auto operator<=>(const Choice&) const = default;
};

inline int segments_of(const Choice& choice) { return choice.segments > 0 ? choice.segments : 1; }

}  // namespace eco
