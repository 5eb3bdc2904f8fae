// SPDX-License-Identifier: BSD-3-Clause
// The errors that a check finds: only the first is reported, because later ones often follow from
// it. Used by verify and its parts.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace eco {

class FirstComplaint {
public:
    template <typename... Parts>
    void fail(const Parts&... parts) {
        if (wrong_.empty()) (add(parts), ...);
    }
    // Empty: nothing is.
    const std::string& wrong() const { return wrong_; }

private:
    void add(std::string_view text) { wrong_ += text; }
    void add(std::integral auto number) { wrong_ += std::to_string(number); }

    std::string wrong_;
};

}  // namespace eco
