// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/communicator.h"

#include <algorithm>
#include <numeric>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/base/fnv1a.h"
#include "eco/job/job_report.h"
#include "eco/job/learning.h"
#include "eco/job/neighbourhood.h"
#include "eco/job/nonblocking_learning.h"
#include "eco/job/pending_calls.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/scratch.h"
#include "eco/topology/build_hierarchy.h"
#include "eco/topology/build_network.h"

namespace eco {

// Kept of each, so that a program that goes through roots or sizes does not grow forever. Tuning
// times some tens of choices with each rank as root in turn.
static constexpr std::size_t most_plans = 1024, most_sizes = 512;

// From where on a send's way back is worth a copy of its message.
static constexpr Seconds long_way = 1e-3;

// Per rank, whether messages from `me` to it are long under way, as far as that is known.
static std::vector<bool> far_from(const Hierarchy& hierarchy, Rank me) {
    std::vector<bool> far(static_cast<std::size_t>(hierarchy.ranks()), false);
    const Group* group = &hierarchy.top;
    while (!group->parts.empty()) {
        const bool is_far =
            group->inter_cluster_cost && group->inter_cluster_cost->whole.fixed >= long_way;
        for (const Rank rank : group->ranks) far[static_cast<std::size_t>(rank)] = is_far;
        group = &*std::find_if(group->parts.begin(), group->parts.end(),
                               [me](const Group& part) { return part.holds(me); });
    }
    far[static_cast<std::size_t>(me)] = false;
    return far;
}

// A hash of its ranks, and how many such communicators there were before: they are made in the same
// order on all their ranks. Programs may make one in each step: the last number is for all others,
// so that the report's memory does not grow.
static std::uint64_t number_for_report(Session& session, const std::vector<Rank>& world) {
    Fnv1a hash;
    for (const Rank rank : world) hash.add(static_cast<std::uint64_t>(rank));
    constexpr std::uint64_t most = 100;
    auto& before = session.groups[hash.value()];
    hash.add(before);
    before = std::min<std::uint64_t>(before + 1, most);
    return hash.value();
}

Communicator::~Communicator() = default;

Communicator::Communicator(MPI_Comm comm, Session& session)
    : comm_(comm),
      hidden_(native().comm_null),
      inside_(native().comm_null),
      chooser_(session.chooser.get()),
      chosen_(most_sizes),
      prepared_(most_plans, most_bytes_of_plans),
      scratch_(most_plans),
      multicasts_(std::make_unique<MulticastPlans>()) {
    const Native& mpi = native();
    int inter = 0;
    MPI_Group group{};
    if (mpi.Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return;
    if (mpi.Comm_size(comm, &size_) != MPI_SUCCESS || size_ < 2) return;
    // All roots in turn, of two operations, forget nothing where bytes allow it.
    prepared_.allow(2 * static_cast<std::size_t>(size_));
    if (mpi.Comm_rank(comm, &rank_) != MPI_SUCCESS) return;
    // From here on a failure is this rank's alone: others would go on without it.
    check_mpi(mpi.Comm_group(comm, &group));
    std::vector<int> ranks(static_cast<std::size_t>(size_)), world(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const int translated =
        mpi.Group_translate_ranks(group, size_, ranks.data(), session.world_group, world.data());
    mpi.Group_free(&group);
    check_mpi(translated);
    for (const int rank : world) {
        if (rank == MPI_UNDEFINED) return;  // of another job, joined by spawn or connect
        rails_.world.push_back(rank);
        host_of_.push_back(session.where.host_of[static_cast<std::size_t>(rank)]);
        if (host_of_.back() < 0) return;
        if (!session.where.bindings.empty())
            bindings_.push_back(session.where.bindings[static_cast<std::size_t>(rank)]);
    }
    if (session.settings.nonblocking == Nonblocking::expected ||
        (comm == mpi.comm_world && session.nonblocking_before_it))
        want_nonblocking();
    if (session.settings.reports()) report_number_ = number_for_report(session, rails_.world);
    hierarchy_ = build_hierarchy(session.profile, host_of_, bindings_);
    hierarchy_.most_scratch = session.where.most_scratch;
    deferred_sends_.begin(far_from(hierarchy_, rank_));
    usable_ = placed_ = true;
}

// Where its messages' tags begin: elsewhere than those of most other schedules (mismatch.h).
static int place_of_schedule(const Choice& choice, const Request& request) {
    if (choice.is_mcast()) return 0;
    Fnv1a hash;
    hash.add(static_cast<std::uint64_t>(request.operation));
    hash.add(static_cast<std::uint64_t>(request.root));
    hash.add(request.commutative ? 1 : 0);
    for (const char each : to_text(choice)) hash.add(static_cast<unsigned char>(each));
    return 1 + static_cast<int>(hash.value() % (Tags::places - 1));
}

std::shared_ptr<const Prepared> Communicator::shared_prepared(const Choice& choice,
                                                              const Request& request) {
    const auto key = std::tie(request.operation, request.root, request.commutative, choice);
    if (const auto* known = prepared_.find(key)) return *known;
    auto fresh = std::make_shared<const Prepared>(plan(choice, request, rank_),
                                                  place_of_schedule(choice, request));
    report_plan(choice, request, *fresh, prepared_.size(), prepared_.bytes());
    const std::size_t bytes = fresh->bytes();
    return prepared_.put(key, std::move(fresh), bytes);
}

// After very many calls the tags begin again.
int Communicator::next_tag() {
    const int tag = tags_.next();
    while (is_in_use(tag)) let_library_move();
    return tag;
}

// Where calls block, so that waiting is no surprise.
void Communicator::synchronize_tags() {
    if (!tags_.must_synchronize()) return;
    const int code = native().Barrier(hidden_);
    if (!worked(code)) throw MpiError{code};
    tags_.synchronized();
}

void Communicator::let_library_move() const {
    int there = 0;
    check_mpi(native().Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, hidden_, &there, MPI_STATUS_IGNORE));
    move_pending();
}

bool Communicator::is_in_use(int tag) const {
    const std::lock_guard lock(mutex_of_tags_);
    return mcast_for_long_.contains(tag) ||
           std::find(tags_in_use_.begin(), tags_in_use_.end(), tag) != tags_in_use_.end();
}

// What a rank has freed another may still hold: once tags come again, all must agree.
std::vector<int> Communicator::join_for_long(int schedules) {
    std::vector<int> tags;
    drop_freed_mcasts();
    for (int tried = 0; static_cast<int>(tags.size()) < schedules; ++tried) {
        constexpr int most_tries = 1000;
        if (tried == most_tries) return {};
        const auto [tag, is_new] = tags_.next_persistent();
        const bool free = !is_in_use(tag);
        bool all = free;
        if (!is_new) all = all_agree(hidden_, free);
        if (all) tags.push_back(tag);
    }
    const std::lock_guard lock(mutex_of_tags_);
    tags_in_use_.insert(tags_in_use_.end(), tags.begin(), tags.end());
    return tags;
}

std::vector<int> Communicator::join(int schedules) {
    std::vector<int> tags;
    while (static_cast<int>(tags.size()) < schedules) tags.push_back(next_tag());
    const std::lock_guard lock(mutex_of_tags_);
    tags_in_use_.insert(tags_in_use_.end(), tags.begin(), tags.end());
    return tags;
}

std::vector<int> Communicator::join_without_tag() {
    constexpr int none = -1;
    std::vector<int> tags{none};
    const std::lock_guard lock(mutex_of_tags_);
    tags_in_use_.push_back(none);
    return tags;
}

void Communicator::leave(const std::vector<int>& tags) noexcept {
    const std::lock_guard lock(mutex_of_tags_);
    for (const int tag : tags) {
        // A start of a persistent call that is left has them too.
        const auto place = std::find(tags_in_use_.begin(), tags_in_use_.end(), tag);
        if (place != tags_in_use_.end()) tags_in_use_.erase(place);
    }
}

bool Communicator::has_calls() const {
    const std::lock_guard lock(mutex_of_tags_);
    return !tags_in_use_.empty();
}

bool Communicator::mark_freed() {
    const std::lock_guard lock(mutex_of_tags_);
    if (!tags_in_use_.empty()) is_freed_ = true;
    return is_freed_;
}

// Multicasts take the other half of a call's tags (mcast_transport.h).
static int most_tags(bool multicasts) {
    return multicasts ? Tags::of_one_call / 2 - 2 : Tags::of_one_program;
}

void Communicator::let_multicast(RunningCall::Channels& channels, McastCalls& calls) {
    channels.mcast = session()->mcast.channel.get();
    channels.mcast_context = &calls.context();
    channels.top = &hierarchy_.top;
    channels.rank = rank_;
}

void Communicator::let_use_rails(RunningCall::Channels& channels, int rails) {
    if (rails == 0) return;
    channels.rails = session()->rails.messages.get();
    channels.rail_context = &rails_;
    channels.most_rails = rails;
}

bool Communicator::can_hold(const Choice& choice, Operation operation, Bytes bytes,
                            bool commutative) {
    if (may_always_take({operation, &hierarchy_, 0, commutative}, bytes)) return true;
    const double* known =
        scratch_.find(std::tuple<Operation, bool, const Choice&>(operation, commutative, choice));
    if (!known)
        known = &scratch_.put({operation, commutative, choice},
                              scratch_per_byte(choice, {operation, &hierarchy_, 0, commutative}));
    return *known * static_cast<double>(bytes) <= static_cast<double>(hierarchy_.most_scratch);
}

std::unique_ptr<RunningCall> Communicator::begin_at(int first_tag, int rails, McastCalls* calls,
                                                    const Prepared& prepared, const Layout& layout,
                                                    const Combine& combine,
                                                    const Reduction& reduction) {
    ECO_CHECK(prepared.tags() <= most_tags(calls));
    drop_sent();
    RunningCall::Channels channels{hidden_, {}, first_tag, &deferred_sends_};
    channels.tags_tell_schedules = tags_.tell_schedules();
    let_use_rails(channels, rails);
    if (calls) let_multicast(channels, *calls);
    return std::make_unique<RunningCall>(channels, prepared, layout, combine, reduction);
}

std::unique_ptr<RunningCall> Communicator::begin(const Choice& choice, const Prepared& prepared,
                                                 const Layout& layout, const Combine& combine,
                                                 const Reduction& reduction) {
    ECO_CHECK(prepared.tags() <= most_tags(choice.is_mcast()));
    drop_sent();
    synchronize_tags();
    RunningCall::Channels channels{
        hidden_, {inside_, &inside_ranks_}, next_tag(), &deferred_sends_};
    channels.tags_tell_schedules = tags_.tell_schedules();
    let_use_rails(channels, choice.rails);
    if (choice.is_mcast()) {
        while (mcast_->has_queued()) let_library_move();
        let_multicast(channels, *mcast_);
    }
    return std::make_unique<RunningCall>(channels, prepared, layout, combine, reduction);
}

void Communicator::run(const Choice& choice, const Prepared& prepared, const Layout& layout,
                       const Combine& combine, const Reduction& reduction) {
    has_unreachable_ = false;
    auto call = begin(choice, prepared, layout, combine, reduction);
    const auto end = [&] {
        has_unreachable_ = call->has_unreachable();
        if (call->has_unacknowledged()) adopt_unfinished(*mcast_, std::move(call));
    };
    call->start();
    try {
        call->finish();
    } catch (const Truncated&) {
        end();
        throw;
    }
    end();
}

void Communicator::note_fallback() {
    if (has_unreachable_ && learning_ && hierarchy_.top.mcast_rate > 0)
        learning_->check_multicasts();
}

std::vector<double> Communicator::greatest(const std::vector<double>& own) {
    const Native& mpi = native();
    struct Figures {
        std::vector<double> own, all;
    };
    auto figures = std::make_unique<Figures>(Figures{own, own});
    const int count = static_cast<int>(own.size());
    const Bytes bytes = count * static_cast<Bytes>(sizeof(double));
    const Choice* choice = choose(Operation::allreduce, bytes, true);
    if (!choice) {
        check_mpi(
            mpi.Allreduce(own.data(), figures->all.data(), count, mpi.real64, mpi.max, hidden_));
        return figures->all;
    }
    Layout layout;
    layout.input = reinterpret_cast<std::byte*>(figures->own.data());
    layout.output = reinterpret_cast<std::byte*>(figures->all.data());
    layout.whole = bytes;
    layout.unit = sizeof(double);
    const Combine combine = [&mpi](std::byte* to, std::byte* from, Bytes length, bool) {
        check_mpi(mpi.Reduce_local(from, to, static_cast<int>(length / 8), mpi.real64, mpi.max));
    };
    try {
        run(*choice, prepared(*choice, {Operation::allreduce, &hierarchy_}), layout, combine,
            {mpi.real64, mpi.max, sizeof(double), 0});
    } catch (...) {
        // Messages may be under way in them.
        [[maybe_unused]] const auto* kept = figures.release();
        throw;
    }
    return figures->all;
}

const Clusters& Communicator::clusters() {
    return clusters_.get([this] { return find_clusters(session()->profile, host_of_, bindings_); });
}

LinksBetween Communicator::links_between() const {
    return {shared_links(session()->profile), host_of_};
}

}  // namespace eco
