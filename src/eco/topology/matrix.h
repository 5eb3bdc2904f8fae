// SPDX-License-Identifier: BSD-3-Clause
// Square tables of figures, one row and column per host.
#pragma once

#include <vector>

namespace eco {

// H×H, row: from, column: to; need not be symmetric.
using Table = std::vector<std::vector<double>>;

// Symmetric, zero on the diagonal.
class Matrix {
public:
    explicit Matrix(int size = 0, double value = 0.0)
        : size_(size),
          values_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), value) {}

    int size() const { return size_; }
    double operator()(int row, int column) const { return values_[index(row, column)]; }
    void set(int row, int column, double value) {
        values_[index(row, column)] = value;
        values_[index(column, row)] = value;
    }

private:
    std::size_t index(int row, int column) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(size_) +
               static_cast<std::size_t>(column);
    }

    int size_;
    std::vector<double> values_;
};

}  // namespace eco
