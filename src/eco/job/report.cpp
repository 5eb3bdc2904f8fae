// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/report.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <new>

#include "eco/job/session.h"

namespace eco {

namespace {

struct Key {
    Operation operation;
    CallForm form;
    Bytes bytes;
    const void* site;
    std::string choice;
    auto operator<=>(const Key&) const = default;
};

std::map<Key, long> calls;

// "md+0x1234", or the name of the function around it.
std::string place(const void* site) {
    Dl_info info{};
    if (!dladdr(site, &info) || !info.dli_fname) return "?";
    const char* slash = std::strrchr(info.dli_fname, '/');
    const std::string object = slash ? slash + 1 : info.dli_fname;
    if (info.dli_sname) return object + ":" + info.dli_sname;
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%lx",
                  static_cast<unsigned long>(static_cast<const char*>(site) -
                                             static_cast<const char*>(info.dli_fbase)));
    return object + offset;
}

}  // namespace

void count_call(Operation operation, Bytes bytes, const void* site, const std::string& choice,
                CallForm form) {
    Session* here = session();
    if (here->settings.verbose == 0 || here->world_rank != 0) return;
    const std::lock_guard lock(here->mutex);
    try {
        ++calls[{operation, form, bytes, site, choice}];
    } catch (const std::bad_alloc&) {
        // The call itself may go well.
    }
}

void report_plan(const Choice& choice, const Request& request, const Prepared& prepared,
                 std::size_t kept) {
    const Session* here = session();
    if (here->settings.verbose < 2 || here->world_rank != 0) return;
    std::fprintf(stderr, "eco: plan %s, root %d, %d ranks %s: %s, %zu tasks here, %zu kept\n",
                 std::string(traits(request.operation).name).c_str(), request.root, request.ranks(),
                 describe(request.hierarchy->top).c_str(), to_text(choice).c_str(),
                 prepared.program().tasks.size(), kept);
}

void print_report() {
    for (const auto& [key, count] : calls) {
        const std::string name = (key.form == CallForm::nonblocking ? "i" : "") +
                                 std::string(traits(key.operation).name) +
                                 (key.form == CallForm::persistent ? "_init" : "");
        const std::string size = key.bytes < 0 ? "" : " " + std::to_string(key.bytes) + " B";
        std::fprintf(stderr, "eco: %s%s at %s: %s ×%ld\n", name.c_str(), size.c_str(),
                     place(key.site).c_str(), key.choice.c_str(), count);
    }
    if (calls.empty())
        std::fprintf(stderr, "eco: no collective was called on more than one rank\n");
}

}  // namespace eco
