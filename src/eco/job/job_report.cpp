// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/job_report.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "eco/base/file_name.h"
#include "eco/base/replace_file.h"
#include "eco/base/text.h"
#include "eco/job/call_counts.h"
#include "eco/job/collected.h"
#include "eco/job/reorder_counts.h"
#include "eco/job/session.h"
#include "eco/mpi/clocks.h"
#include "eco/planners/choice_text.h"
#include "eco/report/report.h"

namespace eco {

namespace {

Seconds started = 0;

// "md+0x1234", or the name of the function around it.
std::string place(const void* site) {
    Dl_info info{};
    if (!dladdr(site, &info) || !info.dli_fname) return "?";
    const std::string object = file_name(info.dli_fname);
    if (info.dli_sname) return object + ":" + info.dli_sname;
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%lx",
                  static_cast<unsigned long>(static_cast<const char*>(site) -
                                             static_cast<const char*>(info.dli_fbase)));
    return object + offset;
}

// What the same calls took that the library ran in this job, where learning tried it. The first
// ones make connections, so few say less than what was timed before, and the quickest of them most.
CallEstimate native_here(const CallClass& named, bool was_timed) {
    constexpr long enough_calls = 2, many_calls = 8;
    constexpr double error = 0.2;
    CallClass native = named;
    native.choice = "native";
    const auto found = call_counts().find(native);
    const long calls = found == call_counts().end() ? 0 : found->second.samples.calls();
    if (calls < (was_timed ? many_calls : enough_calls)) return {};
    const CallTimes times = times_of(native);
    return {TimeRange::about(calls < many_calls ? times.least : times.time, error),
            Basis::timed_here};
}

CallEstimate estimate_of(const CallClass& named, const CallKind& kind, bool with_eco, Seconds took,
                         CallEstimator& estimator) {
    if (kind.choice == "native" || named.form != CallForm::blocking)
        return {{took, took, took}, Basis::ran};
    if (!with_eco) return estimator.with_eco(kind, took);
    const CallEstimate native = estimator.native(kind, took);
    if (native.basis == Basis::timed_here) return native;
    const CallEstimate here = native_here(named, native.basis == Basis::timed);
    return here.known() ? here : native;
}

void add_rows(Report& report, const CallClass& named, const Counted& counted,
              CallEstimator& estimator) {
    const CallTimes times = times_of(named);
    CallEstimate other = estimate_of(named, *counted.kind, report.with_eco, times.time, estimator);
    // What was timed or predicted on another network says nothing of this one.
    if (report.other_network && other.basis != Basis::ran && other.basis != Basis::timed_here)
        other = {};
    for (const auto& [site, calls] : counted.sites) {
        ReportRow row;
        row.operation = name_in_form(std::string(traits(named.operation).name), named.form);
        row.form = named.form;
        row.bytes = named.bytes;
        row.site = place(site);
        row.choice = report.with_eco ? named.choice : counted.kind->choice;
        row.calls = calls;
        const auto count = static_cast<double>(calls);
        row.time = count * times.time;
        row.waited = count * times.waited;
        row.other = other.time.times(count);
        row.basis = other.basis;
        report.rows.push_back(std::move(row));
    }
}

// Those that took longest first: simulation has a limit.
std::vector<CallCounts::const_iterator> by_time(const CallCounts& counts) {
    std::vector<CallCounts::const_iterator> list;
    for (auto each = counts.begin(); each != counts.end(); ++each)
        if (each->second.kind) list.push_back(each);
    const auto time = [](const CallCounts::const_iterator& each) {
        return static_cast<double>(each->second.samples.calls()) * times_of(each->first).time;
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](const auto& a, const auto& b) { return time(a) > time(b); });
    return list;
}

Report make_report(const Settings& settings) {
    Report report;
    report.with_eco = settings.enabled;
    report.whole = Clocks::own() - started;
    const Session* here = session();
    if (!here) return report;
    report.library = here->library;
    report.bits_may_change = settings.enabled && here->settings.learn == Learn::all;
    report.other_network = here->other_network;
    report.network = here->profile.created;
    report.ranks = static_cast<int>(here->where.host_of.size());
    report.hosts = static_cast<int>(
        std::set<int>(here->where.host_of.begin(), here->where.host_of.end()).size());
    for (const auto& [request, row] : reorder_counts()) {
        report.reorders.push_back(row);
        report.reorders.back().site = place(request.site);
    }
    if (!here->whole) return report;
    report.profile = here->whole->path;
    report.start = time_of_start();
    CallEstimator estimator(here->whole->profile, here->library, here->results, here->learned);
    for (const auto& each : by_time(call_counts()))
        add_rows(report, each->first, each->second, estimator);
    return report;
}

void print(const std::string& text) {
    for (const std::string& line : split(text, '\n'))
        std::fprintf(stderr, "eco:%s%s\n", line.empty() ? "" : " ", line.c_str());
}

void print_calls(const Report& report) {
    for (const ReportRow& row : report.rows) {
        const std::string size = row.bytes < 0 ? "" : " " + std::to_string(row.bytes) + " B";
        std::fprintf(stderr, "eco: %s%s at %s: %s ×%ld\n", row.operation.c_str(), size.c_str(),
                     row.site.c_str(), row.choice.c_str(), row.calls);
    }
}

void print_exchanges(const char* what, const Session::Exchanges& exchanges) {
    if (exchanges.count > 0)
        std::fprintf(stderr, "eco: learning: %ld exchanges while choices were %s, %.6f s\n",
                     exchanges.count, what, exchanges.time);
}

// Whole or not at all.
bool write(const std::string& path, const std::string& text) {
    const int why = replace_file(path, text);
    if (why == 0) return true;
    std::fprintf(stderr, "eco: ECO_REPORT: %s cannot be written (%s); this is the report:\n",
                 path.c_str(), std::strerror(why));
    return false;
}

}  // namespace

void note_start_for_report() { started = Clocks::own(); }

void report_plan(const Choice& choice, const Request& request, const Prepared& prepared,
                 std::size_t kept, std::size_t bytes) {
    const Session* here = session();
    if (here->settings.verbose < 2 || here->world_rank != 0) return;
    std::fprintf(stderr,
                 "eco: plan %s, root %d, %d ranks %s: %s, %zu tasks here, %zu kept (%zu kB)\n",
                 std::string(traits(request.operation).name).c_str(), request.root, request.ranks(),
                 describe(request.hierarchy->top).c_str(), to_text(choice).c_str(),
                 prepared.program().tasks.size(), kept, bytes / 1024);
}

void give_report(const Settings& settings) {
    if (!settings.reports()) return;
    const Report report = make_report(settings);
    const bool written = settings.report.empty() || write(settings.report, to_json(report));
    if (settings.verbose > 1) {
        print_calls(report);
        if (const Session* here = session()) {
            print_exchanges("compared", here->comparing);
            print_exchanges("checked", here->checking);
        }
    }
    if (settings.verbose > 0 || !written) print(to_text(report));
}

}  // namespace eco
