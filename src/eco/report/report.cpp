// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/report.h"

#include <cmath>
#include <nlohmann/json.hpp>

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
    row.other = read_time(entry.at("estimate"));
    row.basis = parse_basis(entry.at("basis"));
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

Seconds total_saved(const Report& report) {
    const Seconds saved = sum(report, [](const ReportRow& row) { return row.other - row.time; });
    return report.with_eco ? saved : -saved;
}

std::string to_json(const Report& report) {
    json rows = json::array();
    for (const ReportRow& row : report.rows)
        rows.push_back({{"operation", row.operation},
                        {"form", to_text(row.form)},
                        {"bytes", row.bytes},
                        {"site", row.site},
                        {"choice", row.choice},
                        {"calls", row.calls},
                        {"time", row.time},
                        {"waited", row.waited},
                        {"estimate", row.other},
                        {"basis", to_text(row.basis)}});
    const json root = {{"eco_report", report_version},   {"with_eco", report.with_eco},
                       {"library", report.library},      {"network", report.network},
                       {"ranks", report.ranks},          {"hosts", report.hosts},
                       {"whole", report.whole},          {"time", total_time(report)},
                       {"waited", total_waited(report)}, {"saved", total_saved(report)},
                       {"calls", std::move(rows)}};
    return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Report parse_report(const std::string& text, const std::string& origin) {
    const json root = json::parse(text, nullptr, false);
    if (root.is_discarded() || !root.is_object() || !root.contains("eco_report"))
        throw Error(Code::bad_input,
                    origin + " is not a report: run a program with ECO_REPORT=FILE");
    if (root["eco_report"] != report_version)
        throw Error(Code::bad_input, origin + " is of another version of reports than " +
                                         std::to_string(report_version) + "; update ECO");
    try {
        Report report;
        root.at("with_eco").get_to(report.with_eco);
        root.at("library").get_to(report.library);
        root.at("network").get_to(report.network);
        root.at("ranks").get_to(report.ranks);
        root.at("hosts").get_to(report.hosts);
        report.whole = read_time(root.at("whole"));
        for (const json& entry : root.at("calls")) report.rows.push_back(read_row(entry));
        return report;
    } catch (const json::exception& error) {
        throw Error(Code::bad_input, origin + " is damaged: " + error.what());
    } catch (const Error& error) {
        throw Error(Code::bad_input, origin + " is damaged: " + error.what());
    }
}

}  // namespace eco
