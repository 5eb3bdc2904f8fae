// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include "eco/report/report.h"

namespace eco {

namespace {

constexpr std::size_t most_sites = 10;
constexpr int columns = 75;

std::string as_time(Seconds time) {
    char text[32];
    if (time >= 99.95)
        std::snprintf(text, sizeof text, "%.0f s", time);
    else if (time >= 0.9995)
        std::snprintf(text, sizeof text, "%.1f s", time);
    else if (time >= 0.9995e-3)
        std::snprintf(text, sizeof text, "%.0f ms", 1e3 * time);
    else
        std::snprintf(text, sizeof text, "%.0f us", 1e6 * time);
    return text;
}

std::string as_bytes(double bytes) {
    char text[32];
    if (bytes < 0) return "-";
    if (bytes >= 1e9)
        std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
    else if (bytes >= 1e6)
        std::snprintf(text, sizeof text, "%.1f MB", bytes / 1e6);
    else if (bytes >= 1e4)
        std::snprintf(text, sizeof text, "%.0f kB", bytes / 1e3);
    else
        std::snprintf(text, sizeof text, "%.0f B", bytes);
    return text;
}

// What is not known of fewer calls, by their time, changes nothing that is shown.
constexpr double negligible = 0.05;

struct Sum {
    long calls = 0;
    double bytes = 0;
    Seconds time = 0, waited = 0, other = 0, unknown = 0;
    std::map<Basis, Seconds> bases;  // with the time that each stands for
    bool blocks = true;

    void add(const ReportRow& row) {
        calls += row.calls;
        bytes = row.bytes < 0 || bytes < 0
                    ? -1
                    : bytes + static_cast<double>(row.bytes) * static_cast<double>(row.calls);
        // What the library ran says nothing of the other calls.
        bases[row.basis] += row.basis == Basis::ran ? 0 : row.time;
        blocks = row.blocks();
        if (!blocks) return;
        time += row.time;
        waited += row.waited;
        other += row.known() ? row.other.likely : row.time;
        if (!row.known()) unknown += row.time;
    }
    bool known() const { return unknown <= negligible * time; }
    // Of what is known the basis of the most.
    Basis basis() const {
        if (!known()) return Basis::unknown;
        return std::max_element(bases.begin(), bases.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    }
};

// Native over ECO.
std::string gain(const Report& report, const Sum& sum) {
    const Seconds native = report.with_eco ? sum.other : sum.time,
                  eco = report.with_eco ? sum.time : sum.other;
    if (!sum.known() || eco <= 0) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.2fx", native / eco);
    return text;
}

template <typename Key>
std::vector<std::pair<Key, Sum>> by_time(const std::map<Key, Sum>& sums) {
    std::vector<std::pair<Key, Sum>> list(sums.begin(), sums.end());
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
    return list;
}

void operations(const Report& report, std::string& text) {
    std::map<std::string, Sum> sums;
    for (const ReportRow& row : report.rows) sums[row.operation].add(row);
    std::size_t longest = 20;
    for (const auto& [name, sum] : sums) longest = std::max(longest, name.size());
    const int width = static_cast<int>(longest);
    char line[256];
    std::snprintf(line, sizeof line, "%-*s %6s %7s %6s %6s %6s %6s  %s\n", width, "", "calls",
                  "bytes", report.with_eco ? "ECO" : "native", report.with_eco ? "native" : "ECO",
                  "waited", "gain", "known by");
    text += line;
    for (const auto& [name, sum] : by_time(sums)) {
        const bool timed = sum.blocks;
        std::snprintf(line, sizeof line, "%-*s %6ld %7s %6s %6s %6s %6s  %s\n", width, name.c_str(),
                      sum.calls, as_bytes(sum.bytes).c_str(),
                      timed ? as_time(sum.time).c_str() : "-",
                      timed && sum.known() ? as_time(sum.other).c_str() : "-",
                      timed ? as_time(sum.waited).c_str() : "-",
                      timed ? gain(report, sum).c_str() : "-", timed ? to_text(sum.basis()) : "-");
        text += line;
    }
}

void sites(const Report& report, std::string& text) {
    std::map<std::tuple<std::string, Bytes, std::string, std::string>, Sum> sums;
    for (const ReportRow& row : report.rows)
        if (row.blocks()) sums[{row.operation, row.bytes, row.site, row.choice}].add(row);
    if (sums.empty()) return;
    text += "\nheaviest calls\n";
    auto list = by_time(sums);
    list.resize(std::min(list.size(), most_sites));
    for (const auto& [key, sum] : list) {
        const auto& [operation, bytes, site, choice] = key;
        char line[256];
        std::snprintf(line, sizeof line, "%7s %6s  ", as_time(sum.time).c_str(),
                      gain(report, sum).c_str());
        std::string what = line + std::to_string(sum.calls) + " " + operation;
        if (bytes >= 0) what += " of " + as_bytes(static_cast<double>(bytes));
        what += " at " + site;
        text += what +
                ((what.size() + choice.size() + 2) > columns ? "\n" + std::string(17, ' ') : ": ") +
                choice + "\n";
    }
}

// "about 6.8 s saved (6.1 s to 7.4 s)".
std::string saving(const Report& report) {
    const Seconds time = total_time(report), unknown = total_unknown(report);
    if (unknown > 0.5 * time)
        return report.with_eco ? "what ECO saved is not known" : "what ECO would save is not known";
    const TimeRange saved = total_saved(report);
    const auto signed_time = [](Seconds each) {
        return (each < 0 ? "-" : "") + as_time(std::abs(each));
    };
    const bool lost = saved.likely < 0;
    if (std::abs(saved.likely) <= 0.005 * time)
        return report.with_eco ? "nothing saved" : "nothing to save";
    const auto [low, high] =
        lost ? std::pair{-saved.high, -saved.low} : std::pair{saved.low, saved.high};
    const char* what = report.with_eco ? (lost ? " lost" : " saved")
                                       : (lost ? " would be lost" : " could be saved");
    return "about " + as_time(std::abs(saved.likely)) + what + " (" + signed_time(low) + " to " +
           signed_time(high) + ")";
}

}  // namespace

std::string to_text(const Report& report) {
    if (report.rows.empty())
        return "no collective was called on more than one rank, all on hosts of the profile\n" +
               to_text(report.reorders);
    std::string text = "collectives of " + std::to_string(report.ranks) + " ranks on " +
                       std::to_string(report.hosts) + " hosts, " + report.library +
                       (report.with_eco ? "\n" : ", ECO off\n");
    if (!report.profile.empty()) text += "profile " + report.profile + "\n";
    if (report.other_network)
        text += "the network is not the profile's: ECO left collectives to the library\n";
    if (report.bits_may_change) text += "ECO_LEARN=all: sums may have other bits in another job\n";
    operations(report, text);
    sites(report, text);
    text += to_text(report.reorders);
    const Seconds time = total_time(report), unknown = total_unknown(report);
    text += "\nwaiting for late ranks " + as_time(total_waited(report)) + "; ECO's start " +
            as_time(report.start) + "\ncollectives " + as_time(time) + " of " +
            as_time(report.whole);
    // A rank may be in the next call before others have left this one.
    text += (time > report.whole ? ", as some overlap; " : "; ") + saving(report) + "\n";
    if (unknown > negligible * time)
        text += "of " + as_time(unknown) + " it is not known what " +
                (report.with_eco ? "the library takes: 'eco tune' times it"
                                 : "ECO takes: 'eco tune' times it") +
                "\n";
    return text;
}

}  // namespace eco
