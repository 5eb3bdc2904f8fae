// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/block_matrix.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "eco/base/written.h"
#include "eco/topology/profile_reader.h"

namespace eco {

using nlohmann::json;

namespace {

// Shorter than this part of the rows, a matrix is written in blocks.
constexpr double worth_blocks = 0.25;

using Members = std::vector<std::vector<int>>;  // hosts by subnet

Members members_of(const std::vector<int>& subnet) {
    Members members(static_cast<std::size_t>(*std::max_element(subnet.begin(), subnet.end())) + 1);
    for (std::size_t host = 0; host < subnet.size(); ++host)
        members[static_cast<std::size_t>(subnet[host])].push_back(static_cast<int>(host));
    return members;
}

// The least of those that are there most often.
double most_frequent(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    double found = 0;
    std::ptrdiff_t most = 0;
    for (auto at = values.begin(); at != values.end();) {
        const auto next = std::upper_bound(at, values.end(), *at);
        if (next - at > most) {
            most = next - at;
            found = *at;
        }
        at = next;
    }
    return found;
}

template <class Get>
json rows_json(int hosts, const Get& get) {
    json rows = json::array();
    for (int a = 0; a < hosts; ++a) {
        json row = json::array();
        for (int b = 0; b < hosts; ++b) row.push_back(get(a, b));
        rows.push_back(std::move(row));
    }
    return rows;
}

template <class Get>
json shorter_json(const std::vector<int>& subnet, bool symmetric, const Get& get) {
    const int hosts = static_cast<int>(subnet.size());
    if (subnet.size() < least_hosts_in_blocks) return rows_json(hosts, get);
    const Members members = members_of(subnet);
    const double worth =
        worth_blocks * static_cast<double>(subnet.size()) * static_cast<double>(subnet.size());
    bool short_enough = static_cast<double>(members.size() * members.size()) < worth;
    for (int host = 0; host < hosts; ++host) short_enough = short_enough && get(host, host) == 0;
    if (!short_enough) return rows_json(hosts, get);
    Table blocks(members.size(), std::vector<double>(members.size(), 0));
    std::vector<std::tuple<int, int, double>> others;
    for (std::size_t i = 0; i < members.size(); ++i)
        for (std::size_t j = symmetric ? i : 0; j < members.size(); ++j) {
            const auto for_each_pair = [&](const auto& visit) {
                for (const int a : members[i])
                    for (const int b : members[j])
                        if (a != b && (!symmetric || i != j || a < b)) visit(a, b, get(a, b));
            };
            std::vector<double> values;
            for_each_pair([&](int, int, double value) { values.push_back(value); });
            const double usual = blocks[i][j] = most_frequent(std::move(values));
            if (symmetric) blocks[j][i] = usual;
            for_each_pair([&](int a, int b, double value) {
                if (value == usual) return;
                if (symmetric && a > b) std::swap(a, b);
                others.emplace_back(a, b, value);
            });
        }
    if (static_cast<double>(members.size() * members.size() + 3 * others.size()) >= worth)
        return rows_json(hosts, get);
    std::sort(others.begin(), others.end());
    json pairs = json::array();
    for (const auto& [a, b, value] : others) {
        pairs.push_back(a);
        pairs.push_back(b);
        pairs.push_back(value);
    }
    return {{"blocks", std::move(blocks)}, {"pairs", std::move(pairs)}};
}

// One value for each two subnets.
Table read_blocks(const json& value, const std::string& what, std::size_t subnets, double most,
                  bool symmetric, const ProfileReader& reader) {
    const auto between = [](std::size_t i, std::size_t j) {
        return " between subnets " + std::to_string(i) + " and " + std::to_string(j);
    };
    const auto blocks = reader.take<Table>(value, what);
    const bool square = blocks.size() == subnets &&
                        std::all_of(blocks.begin(), blocks.end(),
                                    [&](const auto& row) { return row.size() == subnets; });
    if (!square)
        reader.refuse(what + " does not have " + std::to_string(subnets) + " rows of " +
                      std::to_string(subnets) + ", one per subnet");
    for (std::size_t i = 0; i < subnets; ++i)
        for (std::size_t j = 0; j < subnets; ++j) {
            reader.check_figure(blocks[i][j], 0, most, what + between(i, j));
            if (symmetric && blocks[i][j] != blocks[j][i])
                reader.refuse(what + " is not symmetric" + between(j, i));
        }
    return blocks;
}

// Those that differ from their block, ascending.
void read_pairs(const json& list, const std::string& what, double most, bool symmetric,
                const ProfileReader& reader, Table& table) {
    if (list.size() % 3 != 0) reader.refuse(what + " has an incomplete pair");
    const int hosts = static_cast<int>(table.size());
    std::pair before(-1, -1);
    for (std::size_t i = 0; i < list.size(); i += 3) {
        const int a = reader.take<int>(list[i], what), b = reader.take<int>(list[i + 1], what);
        const auto value = reader.take<double>(list[i + 2], what);
        const auto named = " hosts " + std::to_string(a) + " and " + std::to_string(b);
        if (a < 0 || b < 0 || a >= hosts || b >= hosts || a == b || (symmetric && a > b))
            reader.refuse(what + " names" + named + ", which are not a pair");
        if (std::pair(a, b) == before) reader.refuse(what + " names" + named + " twice");
        if (std::pair(a, b) < before) reader.refuse(what + " names" + named + " out of order");
        before = {a, b};
        const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
        if (!(value >= 0 && value < most)) reader.refuse_between(what, value, row, column);
        table[row][column] = value;
        if (symmetric) table[column][row] = value;
    }
}

}  // namespace

json matrix_json(const Matrix& matrix, const std::vector<int>& subnet) {
    return shorter_json(subnet, true, matrix);
}

json matrix_json(const Table& table, const std::vector<int>& subnet, bool symmetric) {
    return shorter_json(subnet, symmetric, [&](int a, int b) {
        return table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
    });
}

Table read_matrix(const json& value, const std::string& what, const std::vector<int>& subnet,
                  double most, bool symmetric, const ProfileReader& reader) {
    if (!value.is_object()) return reader.table(value, what, subnet.size(), most);
    const Table blocks = read_blocks(reader.at(value, "blocks"), what + ".blocks",
                                     members_of(subnet).size(), most, symmetric, reader);
    Table table(subnet.size(), std::vector<double>(subnet.size(), 0));
    for (std::size_t a = 0; a < subnet.size(); ++a)
        for (std::size_t b = 0; b < subnet.size(); ++b)
            if (a != b)
                table[a][b] = blocks[static_cast<std::size_t>(subnet[a])]
                                    [static_cast<std::size_t>(subnet[b])];
    read_pairs(reader.list(value, "pairs"), what + ".pairs", most, symmetric, reader, table);
    return table;
}

}  // namespace eco
