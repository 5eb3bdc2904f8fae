// SPDX-License-Identifier: BSD-3-Clause
#include "mutate.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace eco::fuzz {

using nlohmann::json;

namespace {

std::size_t below(Random& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

template <typename List>
auto& one_of(List& list, Random& random) {
    return list[below(random, list.size())];
}

const std::vector<std::string> odd_texts{"-1",
                                         "0",
                                         "1",
                                         "2",
                                         "-0",
                                         "1e308",
                                         "-1e308",
                                         "1e-320",
                                         "1e999",
                                         "2147483647",
                                         "2147483648",
                                         "-9223372036854775808",
                                         "9223372036854775807",
                                         "18446744073709551615",
                                         "0.5",
                                         "1e7",
                                         "NaN",
                                         "inf",
                                         "null",
                                         "true",
                                         "\"\"",
                                         "[]",
                                         "{}",
                                         ",",
                                         ":",
                                         "=",
                                         "\\u0000",
                                         "\xff",
                                         "\n",
                                         "  "};

void change_bytes(std::string& text, const std::string& other, Random& random) {
    const std::size_t at = below(random, text.size() + 1), length = 1 + below(random, 16);
    switch (below(random, 6)) {
        case 0:
            if (at < text.size()) text[at] = static_cast<char>(random());
            return;
        case 1:
            text.erase(at, length);
            return;
        case 2:
            text.insert(at, text.substr(below(random, text.size()), length));
            return;
        case 3:
            text.insert(at, one_of(odd_texts, random));
            return;
        case 4:
            if (below(random, 8) == 0) text.resize(at);
            return;
        default:
            text.replace(at, length, other.substr(below(random, other.size()), length));
    }
}

// A run of digits becomes another number.
void change_number(std::string& text, Random& random) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(below(random, text.size() + 1));
    const auto begin = std::find_if(from, text.end(), digit);
    const auto end = std::find_if_not(begin, text.end(), digit);
    if (begin != text.end()) text.replace(begin, end, one_of(odd_texts, random));
}

json odd_value(Random& random) {
    static const std::vector<json> values{json(),
                                          -1,
                                          0,
                                          1,
                                          2,
                                          0.5,
                                          1e308,
                                          -1e308,
                                          1e-320,
                                          INT64_MAX,
                                          INT64_MIN,
                                          UINT64_MAX,
                                          2147483648,
                                          true,
                                          "",
                                          "\n",
                                          "native",
                                          json::array(),
                                          json::object(),
                                          json::array({json::array()})};
    return one_of(values, random);
}

// Some value inside, the deeper ones as often as the others.
json* some_value(json& root, Random& random) {
    json* found = &root;
    while (found->is_structured() && !found->empty() && below(random, 5) != 0) {
        auto child = found->begin();
        std::advance(child, static_cast<std::ptrdiff_t>(below(random, found->size())));
        found = &*child;
    }
    return found;
}

void leave_one_out(json& list, Random& random) {
    if (!list.is_structured() || list.empty()) return;
    auto child = list.begin();
    std::advance(child, static_cast<std::ptrdiff_t>(below(random, list.size())));
    list.erase(child);
}

void change_value(json& root, const json& other, Random& random) {
    json& value = *some_value(root, random);
    json copy = other.is_discarded() ? json() : other;
    switch (below(random, 6)) {
        case 0:
            value = odd_value(random);
            return;
        case 1:
            value = json(*some_value(copy, random));
            return;
        case 2:
            leave_one_out(value, random);
            return;
        case 3:
            if (value.is_array() && !value.empty()) value.push_back(json(one_of(value, random)));
            return;
        case 4:
            if (value.is_array())
                for (json& each : value) each = odd_value(random);
            return;
        default:
            if (value.is_number())
                value = value.get<double>() * (below(random, 2) ? -1 : 1e6);
            else if (value.is_array())
                std::shuffle(value.begin(), value.end(), random);
    }
}

}  // namespace

std::string mutate(const std::vector<std::string>& corpus, Random& random) {
    std::string text = one_of(corpus, random);
    const std::string& other = one_of(corpus, random);
    const std::size_t times = 1 + below(random, 4);
    json root = json::parse(text, nullptr, false);
    // Mostly what is still JSON: else little comes past the first look.
    if (root.is_structured() && below(random, 4) != 0) {
        const json beside = json::parse(other, nullptr, false);
        for (std::size_t i = 0; i < times; ++i) change_value(root, beside, random);
        return root.dump(-1, ' ', false, json::error_handler_t::replace);
    }
    for (std::size_t i = 0; i < times; ++i)
        if (below(random, 2))
            change_number(text, random);
        else
            change_bytes(text, other, random);
    return text;
}

}  // namespace eco::fuzz
