// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/call_counts.h"

#include <exception>

#include "eco/job/communicator.h"
#include "eco/job/learning.h"
#include "eco/job/session.h"
#include "eco/mpi/clocks.h"
#include "eco/planners/choice_text.h"

namespace eco {

namespace {

CallKind kind_of(const Communicator& communicator, const CallClass& named, bool commutative) {
    const Hierarchy& hierarchy = communicator.hierarchy();
    CallKind kind{std::string(traits(tuned_as(named.operation)).name),
                  named.bytes,
                  learned_class(named.bytes),
                  is_near(hierarchy),
                  ranks_per_host(hierarchy) > 1,
                  named.choice,
                  communicator.hosts()};
    kind.structure = hierarchy.structure;
    const Session& here = *session();
    if (here.whole)
        for (int& host : kind.host_of)
            host = here.whole->host_of_part.at(static_cast<std::size_t>(host));
    // Where ECO is off, what it would run.
    if (here.would_choose)
        kind.choice = to_text(
            here.would_choose->choose({named.operation, &hierarchy, 0, commutative}, named.bytes));
    return kind;
}

}  // namespace

void Samples::note(Seconds entered, Seconds left) {
    if (calls_++ % stride_ != 0) return;
    if (kept_.size() == most) {
        thin();
        if ((calls_ - 1) % stride_ != 0) return;
    }
    kept_.emplace_back(entered, left);
}

void Samples::thin() {
    for (std::size_t to = 0, from = 0; from < kept_.size(); from += 2) kept_[to++] = kept_[from];
    kept_.resize((kept_.size() + 1) / 2);
    stride_ *= 2;
}

CallCounts& call_counts() {
    static auto* all = new CallCounts;  // not destroyed at exit, where it may be a forked child's
    return *all;
}

bool counts_calls() {
    const Session* here = session();
    return here && here->settings.reports();
}

void count_call(Communicator& communicator, Operation operation, Bytes bytes, const void* site,
                const std::string& choice, CallForm form, bool commutative, Seconds entered,
                Rank root) noexcept {
    if (!counts_calls()) return;
    Session& here = *session();
    const Seconds left = Clocks::own();
    const std::lock_guard lock(here.mutex);
    try {
        const CallClass named{communicator.report_number(), operation, form, bytes, choice};
        Counted& counted = call_counts()[named];
        counted.samples.note(entered, left);
        if (here.world_rank != 0) return;
        if (!counted.kind) counted.kind = kind_of(communicator, named, commutative);
        ++counted.sites[site];
        if (root >= 0) ++counted.kind->roots[root];
    } catch (const std::exception&) {
        // The call itself may go well.
    }
}

}  // namespace eco
