// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/ip_counters.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "eco/base/text.h"

namespace eco {

namespace {

using Counters = std::map<std::string, std::int64_t>;

void add(const std::string& name, const std::string& number, Counters& found) {
    std::int64_t value = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc())
        found[name] = value;
}

// A line of names, then one of numbers, both begin with "Ip:".
Counters of_ipv4(const std::string& text) {
    Counters found;
    const auto lines = split(text, '\n');
    for (std::size_t line = 0; line + 1 < lines.size(); ++line) {
        if (!lines[line].starts_with("Ip: ")) continue;
        const auto names = words_of(lines[line]), numbers = words_of(lines[line + 1]);
        for (std::size_t i = 1; i < std::min(names.size(), numbers.size()); ++i)
            add(names[i], numbers[i], found);
        break;
    }
    return found;
}

// A name and a number on each line; the names as those of IPv4.
Counters of_ipv6(const std::string& text) {
    Counters found;
    for (const std::string& line : split(text, '\n')) {
        const auto words = words_of(line);
        if (words.size() == 2 && words[0].starts_with("Ip6"))
            add(words[0].substr(3), words[1], found);
    }
    return found;
}

}  // namespace

std::optional<std::int64_t> unwanted_packets_of(const std::string& text, IpFamily family) {
    const Counters found = family == IpFamily::ipv4 ? of_ipv4(text) : of_ipv6(text);
    const char* forwarded = family == IpFamily::ipv4 ? "ForwDatagrams" : "OutForwDatagrams";
    for (const char* name : {"InReceives", "InDelivers", forwarded, "ReasmReqds", "ReasmOKs"})
        if (!found.contains(name)) return std::nullopt;
    // Fragments are received, and delivered as one.
    return found.at("InReceives") - found.at("InDelivers") - found.at(forwarded) -
           (found.at("ReasmReqds") - found.at("ReasmOKs"));
}

std::optional<std::int64_t> unwanted_packets(IpFamily family) {
    const auto text = read_text(family == IpFamily::ipv4 ? "/proc/net/snmp" : "/proc/net/snmp6");
    return text ? unwanted_packets_of(*text, family) : std::nullopt;
}

}  // namespace eco
