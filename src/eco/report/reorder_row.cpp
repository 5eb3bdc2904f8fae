// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/reorder_row.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "eco/base/error.h"

namespace eco {

namespace {

const char* word(Numbering numbering) {
    switch (numbering) {
        case Numbering::kept:
            return "kept";
        case Numbering::library:
            return "library";
        case Numbering::eco:
            return "eco";
        case Numbering::best:
            break;
    }
    return "best";
}

Numbering parse_numbering(const std::string& text) {
    for (const Numbering numbering :
         {Numbering::kept, Numbering::library, Numbering::eco, Numbering::best})
        if (text == word(numbering)) return numbering;
    throw Error(Code::bad_input, "unknown numbering " + text);
}

double read_ratio(const nlohmann::json& value) {
    const double ratio = value.get<double>();
    if (!(ratio >= -1 && ratio < 1e12))
        throw nlohmann::json::other_error::create(0, "a share is out of range", nullptr);
    return ratio;
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
    return text;
}

const char* what_became(Numbering numbering) {
    switch (numbering) {
        case Numbering::kept:
            return "the library kept the ranks";
        case Numbering::library:
            return "the library renumbered the ranks";
        case Numbering::eco:
            return "ECO renumbered the ranks";
        case Numbering::best:
            break;
    }
    return "ECO kept the ranks, as none are better";
}

std::string what_changes(const ReorderRow& row) {
    const bool by_eco = row.numbering == Numbering::eco;
    const std::string setting = by_eco ? "ECO_REORDER=native" : "ECO_REORDER=on";
    if (row.numbering == Numbering::best) return "";
    if (!row.is_known()) return "  what " + setting + " would change was not worked out\n";
    if (!by_eco && row.busiest == 1 && row.crossing == row.otherwise)
        return "  " + setting + " would change nothing\n";
    std::string text = "  " + percent(row.crossing) + " of its edges cross the widest level, " +
                       percent(row.otherwise) + " with " + setting;
    if (row.busiest >= 0)
        text += std::string(";\n  the busiest link ") + (by_eco ? "carries " : "would carry ") +
                percent(row.busiest) + (by_eco ? " of what it would" : " of what it does");
    return text + "\n";
}

}  // namespace

nlohmann::json to_json(const std::vector<ReorderRow>& rows) {
    nlohmann::json list = nlohmann::json::array();
    for (const ReorderRow& row : rows)
        list.push_back({{"function", row.function},
                        {"site", row.site},
                        {"ranks", row.ranks},
                        {"calls", row.calls},
                        {"numbering", word(row.numbering)},
                        {"crossing", row.crossing},
                        {"otherwise", row.otherwise},
                        {"busiest", row.busiest}});
    return list;
}

std::vector<ReorderRow> parse_reorder_rows(const nlohmann::json& list) {
    std::vector<ReorderRow> rows;
    for (const nlohmann::json& entry : list) {
        ReorderRow row;
        entry.at("function").get_to(row.function);
        entry.at("site").get_to(row.site);
        entry.at("ranks").get_to(row.ranks);
        entry.at("calls").get_to(row.calls);
        row.numbering = parse_numbering(entry.at("numbering"));
        row.crossing = read_ratio(entry.at("crossing"));
        row.otherwise = read_ratio(entry.at("otherwise"));
        row.busiest = read_ratio(entry.at("busiest"));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string to_text(const std::vector<ReorderRow>& rows) {
    std::string text = rows.empty() ? "" : "\ncommunicators made with reorder\n";
    for (const ReorderRow& row : rows) {
        text += row.function + " of " + std::to_string(row.ranks) + " ranks";
        if (row.calls > 1) text += " ×" + std::to_string(row.calls);
        text += "\n  at " + row.site + ": " + what_became(row.numbering) + "\n" + what_changes(row);
    }
    return text;
}

}  // namespace eco
