// SPDX-License-Identifier: BSD-3-Clause
// The planner families: name, written form of the parameters, supported operations, costs, planner.
// A family's entry (planner of its parameters, choice.h) is in its planner's file. Entries need
// neither constructor nor destructor: a collective may come before the first and after the last.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eco/planners/choice.h"
#include "eco/planners/extent.h"
#include "eco/planners/scratch.h"
#include "eco/schedule/program.h"

namespace eco {

using WriteParameter = std::function<void(std::string_view key, const std::string& value)>;

struct PlannerFamily {
    std::string_view name;

    // Its own parameters, besides those that all families share. Null: it has none.
    void (*write)(const Choice& choice, const WriteParameter& write) = nullptr;
    // False where the key is none of its own. Throws Error{usage}.
    bool (*read)(std::string_view key, const std::string& value, Choice& choice) = nullptr;
    std::string_view keys = "";  // for the message about one that is not known

    // Whether it can do the operation at all; and one rank's program of it. Choices on ranks get a
    // request whose hierarchy is flat.
    bool (*knows)(const Choice& choice, const Request& request) = nullptr;
    Program (*plan)(const Choice& choice, const Request& request, Rank me) = nullptr;
    // Whether a reduction combines each element in the same order wherever one segment ends and the
    // next begins (evaluation_order.h). Null: no.
    bool (*combines_alike)(const Choice& choice, const Request& request) = nullptr;
    // How long a rank's program gets at most, and about how many messages all ranks send.
    Extent (*extent)(const Choice& choice, const Request& request) = nullptr;
    double (*messages)(const Choice& choice, const Request& request) = nullptr;
    // How much memory a rank takes at most (scratch.h). Null: none.
    double (*scratch)(const Choice& choice, const Request& request) = nullptr;
    // What is worth predicting and timing beside the candidates of the operation's rules
    // (selection/candidates.cpp), the likely best first; what it does not know is left out. bytes:
    // message size, or -1 where not all ranks know it. Null: nothing.
    std::vector<Choice> (*candidates)(const Request& request, Bytes bytes) = nullptr;
};

// In the order of Family.
std::span<const PlannerFamily* const> planner_families();

const PlannerFamily& planner_family(const Choice& choice);

// Of all families, in their order; each is supported, and none comes twice.
std::vector<Choice> candidates_of_families(const Request& request, Bytes bytes);

// For write() and read(): rotate=groups, rotate=all.
void write_rotate(Rotate rotate, const WriteParameter& write);
bool read_rotate(std::string_view key, const std::string& value, Rotate& rotate);

// The same for inner=SHAPE and inner=native.
void write_inner(Form inner, bool native_inside, const WriteParameter& write);
bool read_inner(std::string_view key, const std::string& value, Form& inner, bool& native_inside);

// For messages(): of a schedule in which `pairs` of groups exchange.
double messages_over_groups(const Choice& choice, const Request& request, double pairs);

// For read(): 0 to most. Throws Error{usage}.
int read_count(std::string_view key, const std::string& value, int most);

}  // namespace eco
