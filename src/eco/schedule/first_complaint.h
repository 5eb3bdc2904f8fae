// SPDX-License-Identifier: BSD-3-Clause
// The errors that a check finds: only the first is reported, because later ones often follow from
// it. Used by verify and its parts.
#pragma once

#include <sstream>
#include <string>

namespace eco {

class FirstComplaint {
public:
    template <typename... Parts>
    void fail(const Parts&... parts) {
        if (!wrong_.empty()) return;
        std::ostringstream text;
        (text << ... << parts);
        wrong_ = text.str();
    }
    // Empty: nothing is.
    const std::string& wrong() const { return wrong_; }

private:
    std::string wrong_;
};

}  // namespace eco
