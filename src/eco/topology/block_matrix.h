// SPDX-License-Identifier: BSD-3-Clause
// H×H figures and their written forms: a row per host, or, where that is much shorter, one value
// for each two subnets and the pairs that differ (docs/formats.md, "blocks"). Both say the same
// figures. Called by what writes and reads profiles.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "eco/topology/matrix.h"

namespace eco {

class ProfileReader;

// Matrices of fewer hosts are written as rows: people read them.
inline constexpr std::size_t least_hosts_in_blocks = 32;

// subnet: the id of each host's, of the finest level.
nlohmann::json matrix_json(const Matrix& matrix, const std::vector<int>& subnet);
nlohmann::json matrix_json(const Table& table, const std::vector<int>& subnet, bool symmetric);

// Either form, as rows. Figures from 0 on and below `most`; what: the key. The block form of what
// is symmetric names each pair once; of rows the caller checks that. Throws Error{bad_input} by the
// reader.
Table read_matrix(const nlohmann::json& value, const std::string& what,
                  const std::vector<int>& subnet, double most, bool symmetric,
                  const ProfileReader& reader);

}  // namespace eco
