// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/ip_counters.h"

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace eco {

namespace {

using Counters = std::map<std::string, std::int64_t>;

// A line of names, then one of numbers, both begin with "Ip:".
Counters of_ipv4(std::istream& text) {
    Counters found;
    std::string names, numbers;
    while (std::getline(text, names) && std::getline(text, numbers)) {
        if (!names.starts_with("Ip: ")) continue;
        std::istringstream name(names.substr(4)), number(numbers.substr(4));
        std::string key;
        std::int64_t value = 0;
        while (name >> key && number >> value) found[key] = value;
        break;
    }
    return found;
}

// A name and a number on each line; the names as those of IPv4.
Counters of_ipv6(std::istream& text) {
    Counters found;
    std::string key;
    std::int64_t value = 0;
    while (text >> key >> value)
        if (key.starts_with("Ip6")) found[key.substr(3)] = value;
    return found;
}

}  // namespace

std::optional<std::int64_t> unwanted_packets_of(const std::string& text, IpFamily family) {
    std::istringstream lines(text);
    const Counters found = family == IpFamily::ipv4 ? of_ipv4(lines) : of_ipv6(lines);
    const char* forwarded = family == IpFamily::ipv4 ? "ForwDatagrams" : "OutForwDatagrams";
    for (const char* name : {"InReceives", "InDelivers", forwarded, "ReasmReqds", "ReasmOKs"})
        if (!found.contains(name)) return std::nullopt;
    // Fragments are received, and delivered as one.
    return found.at("InReceives") - found.at("InDelivers") - found.at(forwarded) -
           (found.at("ReasmReqds") - found.at("ReasmOKs"));
}

std::optional<std::int64_t> unwanted_packets(IpFamily family) {
    std::ifstream file(family == IpFamily::ipv4 ? "/proc/net/snmp" : "/proc/net/snmp6");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return unwanted_packets_of(text, family);
}

}  // namespace eco
