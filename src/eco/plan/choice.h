// What runs a collective: the native function, or a planner and its parameters; with one written
// form, used in profiles, settings and messages: "tree:top=balanced,inner=star,segments=4".
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "eco/plan/tree.h"

namespace eco {

enum class Family {
    native,     // the MPI library's own collective
    tree,       // along a tree of the hierarchy
    exchange,   // leaders of the widest groups exchange with each other
    ring,       // around the near ring
    butterfly,  // recursive doubling
    direct,     // each rank with each
    index,      // all-to-all in few steps (Bruck et al., 1997)
    ordered,    // scans, along the rank order
};

struct Choice {
    Family family = Family::native;
    Form top, inner;
    // 0: a message carries all the blocks that take its way; else one block or part of the message
    // each, cut into this many.
    int segments = 0;
    int window = 0;      // sends to one rank (direct: exchanges) under way at once; 0 is all
    bool split = false;  // exchange: each leader adds up one share of the message
    // exchange: how many ranks, at most, carry what one group has for another (all-to-all), or what
    // the root has for other groups or gets from them (scatter, gather); 0: one all of it.
    int carriers = 0;
    // In each segment the groups come in another order; all: and other ranks speak for them.
    enum class Rotate { none, groups, all } rotate = Rotate::none;
    // inner=native: inside each innermost group the library's own collective, `top` between them.
    bool native_inside = false;
    // tree: at the levels below the widest, one after the other, instead of `top`; the last for all
    // further ones.
    std::vector<Form> below{};
    int ports = 0;  // sends of a rank under way at once; index: messages of a step; 0 is all, or 1
    int rails = 0;  // messages go over so many rails of libfabric's at most; 0: as MPI sends them
    bool on_ranks = false;  // sees ranks in a row, not the hierarchy: the textbook patterns
    bool rotates() const { return rotate != Rotate::none; }
    auto operator<=>(const Choice&) const = default;
};

std::string to_text(const Choice& choice);

// Takes the written form, or a textbook pattern's name: k2, k3, …, star, chain, binomial, ring,
// butterfly. Throws Error{usage} with one sentence.
Choice parse_choice(const std::string& text);

}  // namespace eco
