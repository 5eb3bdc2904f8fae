// SPDX-License-Identifier: BSD-3-Clause
// Takes values of the right type out of a profile's JSON, or rejects the profile in one sentence
// that names the file, the part and the key. Used by all code that reads profiles, here and (by the
// engine) in the Python commands, so that both accept the same profiles.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "eco/topology/matrix.h"

namespace eco {

inline constexpr double longest_message = 3600;  // seconds that no message takes
inline constexpr double most_rate = 1e13;        // bytes per second that nothing carries

class ProfileReader {
public:
    using json = nlohmann::json;

    // part: "model" or the like; empty for the profile itself.
    explicit ProfileReader(std::string origin, std::string part = "")
        : origin_(std::move(origin)), part_(std::move(part)) {}

    // Throws Error{bad_input}.
    [[noreturn]] void refuse(const std::string& why) const;

    // A string, bool, whole number, double (for which a whole number may stand), or a vector of
    // these. what: the value's name.
    template <class T>
    T take(const json& value, const std::string& what) const {
        if (!is<T>(value)) refuse(what + " has the wrong type");
        return value.get<T>();
    }
    // The value of a key, which must be there unless `otherwise` is given.
    template <class T>
    T get(const json& parent, const char* key) const {
        return take<T>(at(parent, key), key);
    }
    template <class T>
    T get(const json& parent, const char* key, T otherwise) const {
        return parent.is_object() && parent.contains(key) ? get<T>(parent, key) : otherwise;
    }
    const json& at(const json& parent, const char* key) const;
    const json& object(const json& parent, const char* key) const;
    const json& list(const json& parent, const char* key) const;

    void check_figure(double value, double least, double most, const std::string& what) const;
    // H×H figures from 0 on and below `most`, row = source.
    Table table(const json& rows, const std::string& what, std::size_t hosts, double most) const;
    [[noreturn]] void refuse_between(const std::string& what, double value, std::size_t a,
                                     std::size_t b) const;

private:
    template <class T>
    struct Element {
        using type = void;
    };
    template <class T>
    struct Element<std::vector<T>> {
        using type = T;
    };

    template <class T>
    static bool is(const json& value) {
        using Each = typename Element<T>::type;
        if constexpr (!std::is_void_v<Each>) {
            bool all = value.is_array();
            for (auto each = value.begin(); all && each != value.end(); ++each)
                all = is<Each>(*each);
            return all;
        } else if constexpr (std::is_same_v<T, bool>) {
            return value.is_boolean();
        } else if constexpr (std::is_integral_v<T>) {
            using Limits = std::numeric_limits<T>;
            if (value.is_number_unsigned())
                return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(Limits::max());
            return value.is_number_integer() && value.get<std::int64_t>() >= Limits::min();
        } else if constexpr (std::is_floating_point_v<T>) {
            return value.is_number();
        } else {
            return value.is_string();
        }
    }

    std::string origin_, part_;
};

}  // namespace eco
