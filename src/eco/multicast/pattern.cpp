// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/pattern.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "eco/base/error.h"
#include "eco/base/text.h"
#include "eco/base/written.h"

namespace eco::multicast {

using nlohmann::json;

namespace {

constexpr int pattern_version = 1;
constexpr int most_ranks = 4096;           // the matrices of more fill the memory
constexpr double most_bytes = 1e15;        // exact in a double
constexpr double longest_seconds = 86400;  // of one send, transfer or receive

[[noreturn]] void refuse(const std::string& origin, const std::string& why) {
    throw Error(Code::bad_input, origin + ": " + why);
}

const json& member(const json& object, const char* key, const std::string& where,
                   const std::string& origin) {
    if (!object.is_object()) refuse(origin, where + " must be an object with \"" + key + "\"");
    const auto found = object.find(key);
    if (found == object.end())
        refuse(origin,
               where + " has no key \"" + std::string(key) + "\"; docs/formats.md lists the keys");
    return *found;
}

double figure(const json& value, const std::string& where, const std::string& origin) {
    if (!value.is_number())
        refuse(origin, where + " is " + written(value) + ", which is not a number");
    return value.get<double>();
}

std::int64_t whole(const json& value, const std::string& where, const std::string& origin) {
    const double number = figure(value, where, origin);
    if (number != std::floor(number) || std::abs(number) > most_bytes)
        refuse(origin, where + " is " + written(value) + "; must be a whole number below 1e15");
    return static_cast<std::int64_t>(number);
}

Rank rank(const json& value, const std::string& where, const std::string& origin) {
    const std::int64_t number = whole(value, where, origin);
    // Out of an int's range it is unknown anyway; check says so.
    return static_cast<Rank>(std::clamp<std::int64_t>(number, -1, most_ranks));
}

std::vector<Cost> read_costs(const json& rows, const std::string& what, const std::string& origin) {
    if (!rows.is_array()) refuse(origin, what + " must be a list of [fixed, per byte], one a rank");
    std::vector<Cost> costs;
    for (const auto& row : rows) {
        const std::string where = what + " of rank " + std::to_string(costs.size());
        if (!row.is_array() || row.size() != 2)
            refuse(origin, where + " must be [seconds, seconds per byte]");
        costs.push_back({figure(row[0], where, origin), figure(row[1], where, origin)});
    }
    return costs;
}

// A number for all pairs, or one row per sender.
std::vector<double> read_table(const json& table, std::size_t ranks, const std::string& what,
                               const std::string& origin) {
    if (table.is_number()) return std::vector<double>(ranks * ranks, table.get<double>());
    if (!table.is_array() || table.size() != ranks)
        refuse(origin, what + " must be one number or a row for each of the " +
                           std::to_string(ranks) + " ranks");
    std::vector<double> values;
    values.reserve(ranks * ranks);
    for (const auto& row : table) {
        if (!row.is_array() || row.size() != ranks)
            refuse(origin, what + " is not square: each row needs " + std::to_string(ranks) +
                               " numbers, one per receiver");
        for (const auto& value : row) values.push_back(figure(value, what, origin));
    }
    return values;
}

template <typename Name>
void check_cost(const Cost& cost, Name name, const std::string& origin) {
    for (const double value : {cost.fixed, cost.per_byte})
        if (!(value >= 0 && value <= longest_seconds))
            refuse(origin, name() + " is " + written(value) +
                               "; a cost is 0 or more seconds, a day at most");
}

void check_message(Message& message, int ranks, const std::string& where,
                   const std::string& origin) {
    const std::string known = "; ranks go from 0 to " + std::to_string(ranks - 1);
    if (message.source < 0 || message.source >= ranks)
        refuse(origin, where + " has an unknown rank as its source" + known);
    if (message.bytes < 0 || static_cast<double>(message.bytes) > most_bytes)
        refuse(origin, where + " has " + std::to_string(message.bytes) +
                           " bytes; must be a whole number from 0 to 1e15");
    auto& to = message.destinations;
    std::sort(to.begin(), to.end());
    if (!to.empty() && (to.front() < 0 || to.back() >= ranks))
        refuse(origin, where + " has an unknown rank among its destinations" + known);
    if (std::binary_search(to.begin(), to.end(), message.source))
        refuse(origin, where + " has its source, rank " + std::to_string(message.source) +
                           ", among its destinations; remove it, the source has the message");
    const auto twice = std::adjacent_find(to.begin(), to.end());
    if (twice != to.end())
        refuse(origin, where + " has rank " + std::to_string(*twice) +
                           " twice among its destinations; name it once");
}

Message read_message(const json& entry, const std::string& where, const std::string& origin) {
    Message message;
    const std::string of = " of " + where;
    message.source = rank(member(entry, "source", where, origin), "source" + of, origin);
    message.bytes = whole(member(entry, "bytes", where, origin), "bytes" + of, origin);
    const json& to = member(entry, "destinations", where, origin);
    if (!to.is_array()) refuse(origin, "destinations" + of + " must be a list of ranks");
    for (const auto& one : to)
        message.destinations.push_back(rank(one, "a destination" + of, origin));
    return message;
}

json costs_json(const std::vector<Cost>& costs) {
    json rows = json::array();
    for (const auto& cost : costs) rows.push_back({cost.fixed, cost.per_byte});
    return rows;
}

json table_json(const CostModel& model, double Cost::* part) {
    const auto ranks = static_cast<std::size_t>(model.ranks());
    const auto& all = model.transfers;
    if (std::all_of(all.begin(), all.end(), [&](const Cost& c) { return c.*part == all[0].*part; }))
        return all[0].*part;
    json rows = json::array();
    for (std::size_t i = 0; i < ranks; ++i) {
        json row = json::array();
        for (std::size_t j = 0; j < ranks; ++j) row.push_back(all[i * ranks + j].*part);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

std::size_t Pattern::deliveries() const {
    std::size_t count = 0;
    for (const auto& message : messages) count += message.destinations.size();
    return count;
}

void check(Pattern& pattern, const std::string& origin) {
    const CostModel& model = pattern.model;
    const std::size_t ranks = model.send.size();
    if (ranks == 0) refuse(origin, "no ranks: \"send\" is empty");
    if (ranks > most_ranks)
        refuse(origin, std::to_string(ranks) + " ranks; at most " + std::to_string(most_ranks));
    if (model.receive.size() != ranks)
        refuse(origin, "\"send\" has " + std::to_string(ranks) + " ranks and \"receive\" " +
                           std::to_string(model.receive.size()) + "; name each rank in both");
    if (model.transfers.size() != ranks * ranks) refuse(origin, "\"transfer\" is not square");
    for (std::size_t i = 0; i < ranks; ++i) {
        const std::string me = std::to_string(i);
        check_cost(model.send[i], [&] { return "send of rank " + me; }, origin);
        check_cost(model.receive[i], [&] { return "receive of rank " + me; }, origin);
        for (std::size_t j = 0; j < ranks; ++j) {
            const auto name = [&] {
                return "transfer from rank " + me + " to " + std::to_string(j);
            };
            check_cost(model.transfers[i * ranks + j], name, origin);
        }
    }
    for (std::size_t k = 0; k < pattern.messages.size(); ++k)
        check_message(pattern.messages[k], static_cast<int>(ranks), "message " + std::to_string(k),
                      origin);
}

Pattern parse_pattern(const std::string& text, const std::string& origin) {
    json root;
    try {
        root = json::parse(text);
    } catch (const json::out_of_range&) {
        refuse(origin, "has a number that is out of range");
    } catch (const json::parse_error&) {
        refuse(origin, "is not a complete JSON document; was it cut off? write it again");
    }
    if (!root.is_object() || !root.contains("eco_multicast"))
        refuse(origin, "is not a multicast pattern: \"eco_multicast\" is missing");
    if (root["eco_multicast"] != pattern_version)
        refuse(origin, "is of pattern version " + written(root["eco_multicast"]) +
                           ", this ECO reads " + std::to_string(pattern_version));
    Pattern pattern;
    CostModel& model = pattern.model;
    model.send = read_costs(member(root, "send", "the pattern", origin), "send", origin);
    model.receive = read_costs(member(root, "receive", "the pattern", origin), "receive", origin);
    const std::size_t ranks = model.send.size();
    if (ranks > most_ranks)
        refuse(origin, std::to_string(ranks) + " ranks; at most " + std::to_string(most_ranks));
    const json& transfer = member(root, "transfer", "the pattern", origin);
    const auto fixed = read_table(member(transfer, "fixed", "\"transfer\"", origin), ranks,
                                  "fixed of \"transfer\"", origin);
    const auto per_byte = read_table(member(transfer, "per_byte", "\"transfer\"", origin), ranks,
                                     "per_byte of \"transfer\"", origin);
    for (std::size_t n = 0; n < fixed.size(); ++n)
        model.transfers.push_back({fixed[n], per_byte[n]});
    const json& messages = member(root, "messages", "the pattern", origin);
    if (!messages.is_array()) refuse(origin, "\"messages\" must be a list");
    for (const auto& entry : messages)
        pattern.messages.push_back(
            read_message(entry, "message " + std::to_string(pattern.messages.size()), origin));
    check(pattern, origin);
    return pattern;
}

std::string to_json(const Pattern& pattern) {
    json messages = json::array();
    for (const auto& message : pattern.messages)
        messages.push_back({{"source", message.source},
                            {"bytes", message.bytes},
                            {"destinations", message.destinations}});
    const json root = {{"eco_multicast", pattern_version},
                       {"send", costs_json(pattern.model.send)},
                       {"receive", costs_json(pattern.model.receive)},
                       {"transfer",
                        {{"fixed", table_json(pattern.model, &Cost::fixed)},
                         {"per_byte", table_json(pattern.model, &Cost::per_byte)}}},
                       {"messages", messages}};
    return root.dump();
}

}  // namespace eco::multicast
