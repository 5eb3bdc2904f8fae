// SPDX-License-Identifier: BSD-3-Clause
// The communicators that a program let the library renumber (MPI_Cart_create and others with
// reorder), as rows of a report with one written form and a few lines for people. Counted by
// job/reorder_counts.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace eco {

// What became of the ranks.
enum class Numbering {
    kept,     // by the library
    library,  // it renumbered them
    eco,      // ECO renumbered them (ECO_REORDER=on)
    best,     // ECO found no better numbers for them (ECO_REORDER=on)
};

// Requests of one function, for as many ranks, from one place of the program, with one result.
struct ReorderRow {
    std::string function;  // "MPI_Cart_create"
    std::string site;
    int ranks = 0;
    long calls = 0;
    Numbering numbering = Numbering::kept;
    // Of the first such call; negative: not known. The shares of the edges, by weight, that cross
    // the widest level: as it ran, and with the other setting of ECO_REORDER.
    double crossing = -1, otherwise = -1;
    // What the busiest link carries with ECO_REORDER=on, relative to without.
    double busiest = -1;

    bool is_known() const { return crossing >= 0 && otherwise >= 0; }
};

nlohmann::json to_json(const std::vector<ReorderRow>& rows);
// Throws nlohmann::json::exception, or Error of a word that is not known.
std::vector<ReorderRow> parse_reorder_rows(const nlohmann::json& list);

// Some lines for each, after a heading; nothing if there are none.
std::string to_text(const std::vector<ReorderRow>& rows);

}  // namespace eco
