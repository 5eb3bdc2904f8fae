// SPDX-License-Identifier: BSD-3-Clause
// What programs learned at run time about one network, with one written form (docs/formats.md,
// learned file): per class of calls each choice's times, and the best. Stored beside the profile;
// written by rank 0 in MPI_Finalize, read when a session begins.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "eco/base/units.h"

namespace eco {

inline constexpr int learned_version = 1;

struct LearnedArm {
    std::string choice;  // written form, for the class's least size
    long runs = 0;       // timed ones; 0: never
    Seconds mean = 0;
    bool operator==(const LearnedArm&) const = default;
};

struct LearnedClass {
    std::string mpi;  // family and version: "openmpi 5.0.11"
    std::string operation;
    std::string layout;  // near or scattered
    bool hosts_shared = false;
    int ranks = 0;
    Bytes bytes = 0;   // the class's least; -1: not known to all ranks
    std::string best;  // one of the arms
    std::vector<LearnedArm> arms;
    // Which one made the calls, if these do not block: their times hold its work, and say nothing
    // about calls of others. Set by rank 0 for the file, empty otherwise.
    std::string program = {};
    // Of neighbourhood collectives: which hosts give to which, as a number; empty otherwise.
    std::string graph = {};
    // Hierarchy's: of communicators on a part of the measured hosts.
    std::string structure = {};

    bool blocks() const { return !operation.starts_with('i'); }
    // Whether they are results of the same calls.
    bool same_calls(const LearnedClass& other) const;
};

struct Learned {
    std::string network;  // Profile::created of the profile beside it
    std::vector<LearnedClass> classes;
};

// Throws Error{bad_input} with one sentence; origin names the file in it.
Learned parse_learned(const std::string& text, const std::string& origin);
std::string to_json(const Learned& learned);

// The short form that rank 0 shares with all others at the start. read_short takes only what
// short_json wrote.
nlohmann::json short_json(const std::vector<LearnedClass>& classes);
std::vector<LearnedClass> read_short(const nlohmann::json& list, const std::string& library);

// Adds what one run learned: of the same calls the runs of both count, unless their times differ so
// much that the network must have changed, and the later best. What another version of the same
// library learned is dropped, and all of another measurement of the network.
void merge(Learned& known, const Learned& fresh);

// Beside the profile, or, where that cannot be written, in the user's own store, by the profile's
// name and the date of the measurement (network).
std::string learned_path(const std::string& profile_path, const std::string& network);

// What the file holds for this measurement of the network; nothing if there is no file. Throws
// Error{bad_input} where it is damaged, foreign or of another version.
Learned read_learned(const std::string& path, const std::string& network);

// Merges under a lock and replaces the file whole or not at all, so that two jobs at once lose
// nothing. Leaves alone what it cannot read. Throws Error{bad_input, environment}.
void keep_learned(const std::string& path, const Learned& fresh);

}  // namespace eco
