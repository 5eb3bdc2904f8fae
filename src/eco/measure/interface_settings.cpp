// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/interface_settings.h"

#include <algorithm>

#include "eco/base/error.h"

namespace eco {

static bool is_in(const IpAddress& address, const std::string& wanted) {
    return wanted == network_text(address.address, address.prefix) || wanted == address.interface;
}

static std::string joined_by_commas(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

std::vector<std::pair<std::string, std::string>> interface_settings(
    const std::vector<std::string>& wanted, const std::string& version,
    const std::vector<IpAddress>& addresses) {
    // Of this host, in the order wanted. Open MPI knows networks of IPv4 alone.
    std::vector<std::string> names, for_openmpi;
    for (const std::string& each : wanted)
        for (const IpAddress& address : addresses) {
            if (!is_in(address, each)) continue;
            const auto add = [](std::vector<std::string>& list, const std::string& word) {
                if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
            };
            add(names, address.interface);
            add(for_openmpi, is_ipv4(address.address) ? each : address.interface);
        }
    if (names.empty())
        throw Error(Code::usage, "--interfaces " + joined_by_commas(wanted) +
                                     ": this host has no such interface that is up");
    if (version.find("Open MPI") != std::string::npos)
        return {{"OMPI_MCA_btl_tcp_if_include", joined_by_commas(for_openmpi)},
                {"OMPI_MCA_btl_tcp_if_exclude", ""}};
    // MPICH may hold both network modules, of which a setting chooses one. libfabric's tcp provider
    // takes one interface.
    return {{"FI_TCP_IFACE", names.front()}, {"UCX_NET_DEVICES", joined_by_commas(names)}};
}

}  // namespace eco
