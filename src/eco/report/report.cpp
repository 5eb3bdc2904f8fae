// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "eco/base/error.h"

namespace eco {

using nlohmann::json;

namespace {

// A time from 0 to some tens of thousands of years.
Seconds read_time(const json& value) {
    const double time = value.get<double>();
    if (!(time >= 0 && time < 1e12))
        throw json::other_error::create(0, "a time is out of range", nullptr);
    return time;
}

ReportRow read_row(const json& entry) {
    ReportRow row;
    entry.at("operation").get_to(row.operation);
    row.form = parse_call_form(entry.at("form"));
    entry.at("bytes").get_to(row.bytes);
    entry.at("site").get_to(row.site);
    entry.at("choice").get_to(row.choice);
    entry.at("calls").get_to(row.calls);
    row.time = read_time(entry.at("time"));
    row.waited = read_time(entry.at("waited"));
    row.basis = parse_basis(entry.at("basis"));
    if (row.known())
        row.other = {read_time(entry.at("least")), read_time(entry.at("estimate")),
                     read_time(entry.at("most"))};
    if (row.calls < 0 || row.bytes < -1)
        throw json::other_error::create(0, "a number is out of range", nullptr);
    return row;
}

template <typename Value>
Seconds sum(const Report& report, Value value) {
    Seconds total = 0;
    for (const ReportRow& row : report.rows)
        if (row.blocks()) total += value(row);
    return total;
}

}  // namespace

Seconds total_time(const Report& report) {
    return sum(report, [](const ReportRow& row) { return row.time; });
}

Seconds total_waited(const Report& report) {
    return sum(report, [](const ReportRow& row) { return row.waited; });
}

Seconds total_unknown(const Report& report) {
    return sum(report, [](const ReportRow& row) { return row.known() ? 0 : row.time; });
}

TimeRange total_saved(const Report& report) {
    // Calls of one operation and size are off together, others each by themselves.
    struct Sum {
        Seconds time = 0;
        TimeRange other;
    };
    std::map<std::tuple<std::string, Bytes, Basis>, Sum> sums;
    for (const ReportRow& row : report.rows) {
        if (!row.blocks() || !row.known()) continue;
        Sum& sum = sums[{row.operation, row.bytes, row.basis}];
        sum.time += row.time;
        sum.other.low += row.other.low;
        sum.other.likely += row.other.likely;
        sum.other.high += row.other.high;
    }
    Seconds likely = 0, native = 0;
    double below = 0, above = 0;
    for (const auto& [key, sum] : sums) {
        likely += sum.other.likely - sum.time;
        native += report.with_eco ? sum.other.high : sum.time;
        below += std::pow(sum.other.likely - sum.other.low, 2);
        above += std::pow(sum.other.high - sum.other.likely, 2);
    }
    TimeRange saved{likely - std::sqrt(below), likely, likely + std::sqrt(above)};
    if (!report.with_eco) saved = {-saved.high, -likely, -saved.low};
    // Where calls overlap, they take the program less than they take together.
    const Seconds time = total_time(report);
    if (time > report.whole && report.whole > 0) saved = saved.times(report.whole / time);
    for (Seconds* each : {&saved.low, &saved.likely, &saved.high}) {
        *each = std::min(*each - report.start, native);
    }
    return saved;
}

std::string to_json(const Report& report) {
    json rows = json::array();
    const auto if_known = [](const ReportRow& row, Seconds time) {
        return row.known() ? json(time) : json(nullptr);
    };
    for (const ReportRow& row : report.rows)
        rows.push_back({{"operation", row.operation},
                        {"form", to_text(row.form)},
                        {"bytes", row.bytes},
                        {"site", row.site},
                        {"choice", row.choice},
                        {"calls", row.calls},
                        {"time", row.time},
                        {"waited", row.waited},
                        {"estimate", if_known(row, row.other.likely)},
                        {"least", if_known(row, row.other.low)},
                        {"most", if_known(row, row.other.high)},
                        {"basis", to_text(row.basis)}});
    const TimeRange saved = total_saved(report);
    const json root = {{"eco_report", report_version},
                       {"with_eco", report.with_eco},
                       {"library", report.library},
                       {"network", report.network},
                       {"profile", report.profile},
                       {"ranks", report.ranks},
                       {"hosts", report.hosts},
                       {"whole", report.whole},
                       {"start", report.start},
                       {"time", total_time(report)},
                       {"waited", total_waited(report)},
                       {"unknown", total_unknown(report)},
                       {"saved", saved.likely},
                       {"saved_least", saved.low},
                       {"saved_most", saved.high},
                       {"calls", std::move(rows)},
                       {"reorders", to_json(report.reorders)},
                       {"bits_may_change", report.bits_may_change},
                       {"other_network", report.other_network}};
    return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Report parse_report(const std::string& text, const std::string& origin) {
    const json root = json::parse(text, nullptr, false);
    if (root.is_discarded() || !root.is_object() || !root.contains("eco_report"))
        throw Error(Code::bad_input,
                    origin + " is not a report: run a program with ECO_REPORT=FILE");
    if (root["eco_report"] != report_version)
        throw Error(Code::bad_input, origin + " is of another version of reports than " +
                                         std::to_string(report_version) +
                                         "; run the program again with this ECO");
    try {
        Report report;
        root.at("with_eco").get_to(report.with_eco);
        root.at("library").get_to(report.library);
        root.at("network").get_to(report.network);
        root.at("profile").get_to(report.profile);
        report.bits_may_change = root.value("bits_may_change", false);
        report.other_network = root.value("other_network", false);
        root.at("ranks").get_to(report.ranks);
        root.at("hosts").get_to(report.hosts);
        report.whole = read_time(root.at("whole"));
        report.start = read_time(root.at("start"));
        for (const json& entry : root.at("calls")) report.rows.push_back(read_row(entry));
        // A report of an earlier release has none.
        report.reorders = parse_reorder_rows(root.value("reorders", json::array()));
        return report;
    } catch (const json::exception& error) {
        throw Error(Code::bad_input, origin + " is damaged: " + error.what());
    } catch (const Error& error) {
        throw Error(Code::bad_input, origin + " is damaged: " + error.what());
    }
}

}  // namespace eco
