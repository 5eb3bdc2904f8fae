// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/host_names.h"

#include "eco/base/fnv1a.h"
#include "eco/base/text.h"

namespace eco {

namespace {

// Of an address, the whole.
std::string without_domain(const std::string& name) {
    if (name.find_first_not_of("0123456789.") == std::string::npos) return name;
    return name.substr(0, name.find('.'));
}

}  // namespace

std::uint64_t name_hash(std::string_view text) {
    Fnv1a hash;
    for (const char c : text) hash.add(static_cast<unsigned char>(c));
    return hash.value();
}

bool is_made_up_name(std::string_view name) {
    constexpr std::size_t digits = 12;
    return name.size() == digits &&
           name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

HostNames::HostNames(const std::vector<std::string>& hosts, const std::string& own,
                     const std::string& hosts_file) {
    for (std::size_t host = 0; host < hosts.size(); ++host)
        exact_.emplace(name_hash(hosts[host]), static_cast<int>(host));
    const std::string domain = own.substr(without_domain(own).size());
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        const std::string plain = without_domain(hosts[host]);
        add(plain, static_cast<int>(host));
        if (!domain.empty()) add(plain + domain, static_cast<int>(host));
    }
    for (const std::string& line : split(read_text(hosts_file).value_or(""), '\n')) {
        std::vector<std::string> names = words_of(line.substr(0, line.find('#')));
        if (names.empty()) continue;
        // Names of the loopback are of every host.
        const std::string address = names.front();
        if (address.starts_with("127.") || address == "::1") continue;
        names.erase(names.begin());
        for (const std::string& known : names) {
            const int host = find(known);
            if (host < 0) continue;
            for (const std::string& name : names) add(name, host);
            break;
        }
    }
}

void HostNames::add(const std::string& name, int host) {
    const auto [found, fresh] = other_.emplace(name_hash(name), host);
    if (!fresh && found->second != host) found->second = several;
}

int HostNames::find(std::uint64_t hash) const {
    if (const auto found = exact_.find(hash); found != exact_.end()) return found->second;
    const auto found = other_.find(hash);
    return found == other_.end() || found->second == several ? -1 : found->second;
}

}  // namespace eco
