// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/host_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "eco/base/launched_rank.h"
#include "eco/base/text.h"
#include "eco/job/build_id.h"
#include "eco/job/session.h"
#include "eco/job/share.h"
#include "eco/measure/protocol.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

using nlohmann::json;

// What of a rank's environment decides which interfaces its library takes; and what `eco doctor`
// sets, to see whether the launcher hands it on.
constexpr std::array variables{"ECO_DOCTOR", "OMPI_MCA_btl_tcp_if_include",
                               "OMPI_MCA_btl_tcp_if_exclude", "FI_TCP_IFACE", "UCX_NET_DEVICES"};

std::string first_word(const std::string& path) {
    const auto words = words_of(read_text(path).value_or(""));
    return words.empty() ? "" : words.front();
}

json environment() {
    json found = json::object();
    for (const char* name : variables)
        if (const char* value = std::getenv(name)) found[name] = value;
    return found;
}

json interfaces() {
    json found = json::array();
    for (const IpAddress& each : ip_addresses()) {
        const std::string& name = each.interface;
        json entry{{"name", name},
                   {"address", text_of(each.address)},
                   {"prefix", each.prefix},
                   {"bridge", is_bridge(name)},
                   {"down", is_down(name)}};
        const int mtu = mtu_of(name), speed = megabits_of(name);
        if (mtu > 0) entry["mtu"] = mtu;
        if (speed > 0) entry["megabits"] = speed;
        found.push_back(std::move(entry));
    }
    return found;
}

// A counter of this network namespace's, since it began: files have two lines of a kind, names and
// values.
json counter(const char* path, const std::string& kind, const std::string& wanted) {
    const auto lines = split(read_text(path).value_or(""), '\n');
    for (std::size_t line = 0; line + 1 < lines.size(); line += 2) {
        if (!lines[line].starts_with(kind + ":")) continue;
        const auto names = words_of(lines[line]), values = words_of(lines[line + 1]);
        for (std::size_t n = 0; n < std::min(names.size(), values.size()); ++n)
            if (names[n] == wanted) return std::atoll(values[n].c_str());
    }
    return nullptr;
}

// Of the segments sent again, those that the receiver had already are no losses: TCP asks early for
// an answer that is late, as where many processes share a processor.
json tcp_segments() {
    const json sent = counter("/proc/self/net/snmp", "Tcp", "OutSegs");
    const json again = counter("/proc/self/net/snmp", "Tcp", "RetransSegs");
    const json had = counter("/proc/self/net/netstat", "TcpExt", "TCPDSACKRecv");
    if (sent.is_null() || again.is_null()) return nullptr;
    return {{"sent", sent}, {"sent_again", again}, {"had_already", had.is_null() ? json(0) : had}};
}

Seconds read_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    native().Get_library_version(version.data(), &length);
    const std::string text(version.data());
    return text.substr(0, text.find_first_of(",\n"));
}

// Needs no MPI_Init.
json own_facts(const std::string& host) {
    json facts{{"host", host},
               {"build", build_text},
               {"mpi", mpi_version()},
               {"processors", std::thread::hardware_concurrency()},
               {"environment", environment()},
               {"interfaces", interfaces()}};
    utsname system{};
    if (uname(&system) == 0) facts["kernel"] = system.release;
    // Containers and network namespaces of one machine have one.
    const auto machine = first_word("/proc/sys/kernel/random/boot_id");
    if (!machine.empty()) facts["machine"] = machine;
    const auto governor = first_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    const auto clock =
        first_word("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (!governor.empty()) facts["governor"] = governor;
    if (!clock.empty()) facts["clock"] = clock;
    if (const json tcp = tcp_segments(); tcp.is_object()) facts["tcp"] = tcp;
    // These two hold for IPv6 as well.
    const auto idle = first_word("/proc/sys/net/ipv4/tcp_slow_start_after_idle");
    const auto control = first_word("/proc/sys/net/ipv4/tcp_congestion_control");
    if (!idle.empty()) facts["slow_start_after_idle"] = std::atoi(idle.c_str()) != 0;
    if (!control.empty()) facts["congestion_control"] = control;
    const auto load = first_word("/proc/loadavg");
    if (!load.empty()) facts["load"] = std::atof(load.c_str());
    return facts;
}

}  // namespace

void tell_of_host(const char* kind, const json& about) {
    send_event({{"event", "host"}, {kind, about}}, Arrival::may);
}

double processor_share() {
    constexpr int turns = 8;
    constexpr Seconds turn = 10e-3;
    double best = 0;
    for (int n = 0; n < turns; ++n) {
        const Seconds began = read_clock(CLOCK_MONOTONIC);
        const Seconds had = read_clock(CLOCK_PROCESS_CPUTIME_ID);
        Seconds now = began;
        while (now < began + turn) now = read_clock(CLOCK_MONOTONIC);
        best = std::max(best, (read_clock(CLOCK_PROCESS_CPUTIME_ID) - had) / (now - began));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return std::min(best, 1.0);
}

void tell_start() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return;
    json facts = own_facts(name.data());
    for (const char* variable : rank_variables)
        if (const char* value = std::getenv(variable); value && !facts.contains("rank"))
            facts["rank"] = std::atoi(value);
    tell_of_host("start", facts);
}

double tell_facts() {
    int rank = 0, ranks = 0;
    check_mpi(native().Comm_rank(native().comm_world, &rank));
    check_mpi(native().Comm_size(native().comm_world, &ranks));
    json facts = own_facts(processor_name());
    const double share = processor_share();
    facts["processor_share"] = share;
    facts["rank"] = rank;
    facts["ranks"] = ranks;
    tell_of_host("facts", facts);
    return share;
}

void tell_counters(std::optional<double> share_again) {
    json about{{"host", processor_name()}};
    if (const json tcp = tcp_segments(); tcp.is_object()) about["tcp"] = tcp;
    if (share_again) about["processor_share"] = *share_again;
    tell_of_host("counters", about);
}

}  // namespace eco
