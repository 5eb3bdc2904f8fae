// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/profile_reader.h"

#include "eco/base/error.h"
#include "eco/base/written.h"

namespace eco {

using nlohmann::json;

void ProfileReader::refuse(const std::string& why) const {
    throw Error(Code::bad_input, origin_ + ": " + (part_.empty() ? "" : part_ + ": ") + why +
                                     "; measure again with 'eco measure'");
}

const json& ProfileReader::at(const json& parent, const char* key) const {
    const auto found = parent.is_object() ? parent.find(key) : parent.end();
    if (found == parent.end()) refuse("missing key " + std::string(key));
    return *found;
}

const json& ProfileReader::object(const json& parent, const char* key) const {
    const json& found = at(parent, key);
    if (!found.is_object()) refuse(std::string(key) + " has the wrong type");
    return found;
}

const json& ProfileReader::list(const json& parent, const char* key) const {
    const json& found = at(parent, key);
    if (!found.is_array()) refuse(std::string(key) + " has the wrong type");
    return found;
}

void ProfileReader::check_figure(double value, double least, double most,
                                 const std::string& what) const {
    if (!(value >= least && value < most))
        refuse(what + " is " + written(value) + ", which is out of range");
}

void ProfileReader::refuse_between(const std::string& what, double value, std::size_t a,
                                   std::size_t b) const {
    refuse(what + " gives " + written(value) + " between hosts " + std::to_string(a) + " and " +
           std::to_string(b) + ", which is out of range");
}

Table ProfileReader::table(const json& rows, const std::string& what, std::size_t hosts,
                           double most) const {
    if (rows.is_array() && rows.size() != hosts)
        refuse(what + " has " + std::to_string(rows.size()) + " rows, not one per host");
    for (const json& row : rows)
        if (row.is_array() && row.size() != hosts) refuse(what + " is not square");
    const Table table = take<Table>(rows, what);
    for (std::size_t a = 0; a < hosts; ++a)
        for (std::size_t b = 0; b < hosts; ++b)
            if (!(table[a][b] >= 0 && table[a][b] < most)) refuse_between(what, table[a][b], a, b);
    return table;
}

}  // namespace eco
