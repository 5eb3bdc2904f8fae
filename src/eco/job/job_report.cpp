// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/job_report.h"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "eco/base/file_name.h"
#include "eco/base/text.h"
#include "eco/job/call_counts.h"
#include "eco/job/collected.h"
#include "eco/job/session.h"
#include "eco/mpi/clocks.h"
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

void add_rows(Report& report, const CallClass& named, const Counted& counted) {
    const Session& here = *session();
    const NativeTime native =
        native_time(*counted.kind, here.results, here.learned, here.profile.tuning);
    const CallTimes times = times_of(named);
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
        row.other =
            count * (report.with_eco ? native.natively(times.time) : native.with_eco(times.time));
        row.basis = native.basis;
        report.rows.push_back(std::move(row));
    }
}

Report make_report(const Settings& settings) {
    Report report;
    report.with_eco = settings.enabled;
    report.whole = Clocks::own() - started;
    const Session* here = session();
    if (!here) return report;
    report.library = here->library;
    report.network = here->profile.created;
    report.ranks = static_cast<int>(here->where.host_of.size());
    report.hosts = static_cast<int>(
        std::set<int>(here->where.host_of.begin(), here->where.host_of.end()).size());
    for (const auto& [named, counted] : call_counts())
        if (counted.kind) add_rows(report, named, counted);
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
    const std::string part = path + ".part";
    std::FILE* file = std::fopen(part.c_str(), "we");
    bool whole = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file && std::fclose(file) != 0) whole = false;
    if (whole && std::rename(part.c_str(), path.c_str()) == 0) return true;
    const int reason = errno;
    std::remove(part.c_str());
    std::fprintf(stderr, "eco: ECO_REPORT: %s cannot be written (%s); this is the report:\n",
                 path.c_str(), std::strerror(reason));
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
