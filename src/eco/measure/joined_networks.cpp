// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/joined_networks.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "eco/base/at.h"
#include "eco/job/share.h"
#include "eco/measure/host_facts.h"
#include "eco/measure/protocol.h"
#include "eco/mpi/gather_all.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

using nlohmann::json;

// TCP asks again after one second, so an answer to the second request still counts.
constexpr Seconds answer_patience = 2;
// Launchers start hosts one after the other: who was first still listens when the last one tries.
constexpr std::chrono::milliseconds still_listens{1500};

std::string network_of_try(const AddressTry& each) {
    if (!each.routed) return network_text(each.own.address, each.own.prefix);
    return is_ipv4(each.own.address) ? "0.0.0.0/0" : "::/0";
}

// What does not connect, of each network the first; and the addresses that others have too.
json found_by(const std::vector<HostAddresses>& hosts, std::size_t own, const AddressTries& all) {
    json failed = json::array(), twice = json::array();
    std::set<std::string> told;
    for (const AddressTry& each : all.tries)
        if (!each.connects && told.insert(network_of_try(each)).second)
            failed.push_back({{"from", hosts[own].name},
                              {"to", hosts[each.peer].name},
                              {"network", network_of_try(each)},
                              {"own", text_of(each.own.address)},
                              {"theirs", text_of(each.theirs.address)}});
    for (const LinkAddress& each : all.twice)
        twice.push_back({{"host", hosts[own].name},
                         {"network", network_text(each.address, each.prefix)},
                         {"address", text_of(each.address)}});
    if (failed.empty() && twice.empty()) return json::object();
    return {{"failed", failed}, {"twice", twice}};
}

}  // namespace

std::set<std::string> find_not_joining() {
    const Listener listener;
    const std::vector<std::string> texts = gather_texts(
        native().comm_world, to_text({processor_name(), listener.port(), link_addresses()}));
    int rank = 0;
    check_mpi(native().Comm_rank(native().comm_world, &rank));
    std::vector<HostAddresses> hosts;
    std::size_t own = 0;
    bool leads = false;
    json names = json::array();
    for (int other = 0; other < static_cast<int>(texts.size()); ++other) {
        std::vector<HostAddresses> one = hosts_of(texts[at(other)]);
        names.push_back(one.empty() ? "" : one.front().name);
        if (one.empty()) continue;
        const auto known = std::find_if(hosts.begin(), hosts.end(), [&](const HostAddresses& host) {
            return host.name == one.front().name;
        });
        if (known != hosts.end()) continue;
        if (other == rank) {
            own = hosts.size();
            leads = true;
        }
        hosts.push_back(std::move(one.front()));
    }
    if (rank == 0) send_event({{"event", "contact"}, {"hosts", names}});
    json mine = json::object();
    if (leads) {
        AddressTries all = address_tries(hosts, own);
        connect_all(all.tries, hosts, answer_patience);
        mine = found_by(hosts, own, all);
    }
    json event{{"event", "networks"}, {"failed", json::array()}, {"twice", json::array()}};
    std::set<std::string> networks;
    for (const std::string& text : gather_texts(native().comm_world, mine.dump())) {
        const json theirs = json::parse(text);
        for (const char* kind : {"failed", "twice"})
            for (const json& each : theirs.value(kind, json::array())) {
                event[kind].push_back(each);
                networks.insert(each.at("network").get<std::string>());
            }
    }
    if (rank == 0 && !networks.empty()) send_event(event);
    return networks;
}

void reach(const std::vector<HostAddresses>& hosts, in_port_t port) {
    const auto began = std::chrono::steady_clock::now();
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return;
    const auto me = std::find_if(hosts.begin(), hosts.end(), [&](const HostAddresses& host) {
        return host.name == name.data();
    });
    const Listener listener(port);
    if (me == hosts.end() || listener.port() == 0) return;
    const auto own = at(me - hosts.begin());
    std::vector<HostAddresses> all_listen = hosts;
    for (HostAddresses& host : all_listen) host.port = port;
    AddressTries all = address_tries(all_listen, own);
    connect_all(all.tries, all_listen, answer_patience);
    json found = found_by(hosts, own, all);
    found["host"] = name.data();
    tell_of_host("reach", found);
    std::this_thread::sleep_until(began +
                                  std::chrono::duration_cast<std::chrono::milliseconds>(
                                      std::chrono::duration<double>(answer_patience)) +
                                  still_listens);
}

}  // namespace eco
