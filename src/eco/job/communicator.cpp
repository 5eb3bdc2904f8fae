// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/communicator.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/job/learning.h"
#include "eco/job/neighbourhood.h"
#include "eco/job/pending_calls.h"
#include "eco/job/report.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/mpi/progress_hook.h"
#include "eco/mpi/quiet.h"

namespace eco {

// MPI libraries have about 2,000 contexts for all communicators; the rest are the program's.
static constexpr int most_hidden = 500;

// Kept of each, so that a program that goes through roots or sizes does not grow for ever. Tuning
// times some tens of choices with each rank as root in turn.
static constexpr std::size_t most_plans = 1024, most_sizes = 512;

// A class is worth learning from so many calls on, so that a program that makes few pays nothing:
// fewer of longer messages, whose calls take longer than what learning costs.
static int calls_before_learning(Bytes bytes) { return bytes >= 1024 ? 4 : 16; }

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

// So says a library that was told to let others go on after a process has failed (ULFM).
static bool says_that_a_process_failed(int code) {
    int of = MPI_SUCCESS;
    if (code == MPI_SUCCESS || native().Error_class(code, &of) != MPI_SUCCESS) return false;
#if defined(OPEN_MPI)
    return of >= 75 && of <= 77;  // MPIX_ERR_PROC_FAILED, _PENDING and MPIX_ERR_REVOKED of ULFM
#elif defined(MPIX_ERR_PROC_FAILED)
    return of == MPIX_ERR_PROC_FAILED || of == MPIX_ERR_PROC_FAILED_PENDING ||
           of == MPIX_ERR_REVOKED;
#else
    return false;
#endif
}

Communicator::~Communicator() = default;

Communicator::Communicator(MPI_Comm comm, Session& session)
    : comm_(comm),
      hidden_(native().comm_null),
      inside_(native().comm_null),
      chooser_(session.chooser.get()),
      chosen_(most_sizes),
      prepared_(most_plans),
      multicasts_(std::make_unique<MulticastPlans>()) {
    const Native& mpi = native();
    int inter = 0;
    MPI_Group group{};
    if (mpi.Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return;
    if (mpi.Comm_size(comm, &size_) != MPI_SUCCESS || size_ < 2) return;
    // All roots in turn, of two operations, forget nothing.
    prepared_.allow(2 * static_cast<std::size_t>(size_));
    if (mpi.Comm_rank(comm, &rank_) != MPI_SUCCESS) return;
    if (mpi.Comm_group(comm, &group) != MPI_SUCCESS) return;
    std::vector<int> ranks(static_cast<std::size_t>(size_)), world(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const bool translated =
        mpi.Group_translate_ranks(group, size_, ranks.data(), session.world_group, world.data()) ==
        MPI_SUCCESS;
    mpi.Group_free(&group);
    if (!translated) return;
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
    hierarchy_ = build_hierarchy(session.profile, host_of_, bindings_);
    deferred_sends_.begin(far_from(hierarchy_, rank_));
    usable_ = true;
}

Bytes size_class(Bytes bytes, int bits) {
    if (bytes < 1 << bits) return bytes;
    const int shift = std::bit_width(static_cast<std::uint64_t>(bytes)) - bits;
    return bytes >> shift << shift;
}

// All sizes of a class get the choice of its least, whoever calls first. Classes are narrow: a
// message a tenth longer than its class's least would go in segments a tenth longer than those that
// were timed, and what was one frame would be two.
static constexpr int choice_bits = 6;

Communicator::Chosen& Communicator::chosen(Operation operation, Bytes bytes, bool commutative,
                                           bool bits_may_change) {
    const Bytes least = size_class(bytes, choice_bits);
    const std::tuple key(operation, commutative, bits_may_change, least);
    if (Chosen* known = chosen_.find(key)) return *known;
    const Request request{operation, &hierarchy_, 0, commutative};
    Chosen& fresh = chosen_.put(key, {});
    Choice& choice = fresh.choice = chooser_->choose(request, least);
    const Session& here = *session();
    const bool settled = here.settings.learn == Learn::settled;
    const bool nothing_learned = here.learned.empty() && (bits_may_change || settled);
    if (here.settings.learn == Learn::off || nothing_learned) return fresh;
    // What earlier jobs found; and where one choice must do for the whole job, the one that the
    // lesson will be about.
    const Bytes class_least = learned_class(least);
    const Rivals rivals =
        find_rivals(*chooser_, here.learned, request, class_least, bits_may_change || settled);
    const bool one_for_all = !bits_may_change && rivals.worth_learning && !settled;
    if (rivals.preferred != 0 || one_for_all)
        choice = choice_in_class(rivals.choices[rivals.preferred], class_least, least, request);
    return fresh;
}

const Choice* Communicator::choose(Operation operation, Bytes bytes, bool commutative) {
    if (!usable_) return nullptr;
    const Choice& choice = chosen(operation, bytes, commutative, false).choice;
    if (choice.is_native()) return nullptr;
    return ready(choice) ? &choice : nullptr;
}

const Choice* Communicator::choose(Operation operation, Bytes bytes, bool commutative,
                                   bool bits_may_change, Lesson** timed) {
    if (!usable_) return nullptr;
    Chosen& known = chosen(operation, bytes, commutative, bits_may_change);
    const Choice* choice = &known.choice;
    const int before = calls_before_learning(bytes);
    if (session()->settings.learn >= Learn::on && known.calls <= before && known.calls++ == before)
        begin_lesson(known, {operation, &hierarchy_, 0, commutative}, bytes, bits_may_change);
    if (known.lesson) {
        if (!ready()) return nullptr;
        const Learning::Turn turn = learning_->begin(*known.lesson);
        choice = &known.arms[turn.arm];
        if (turn.timed) *timed = known.lesson;
    }
    if (forced_) choice = forced_;
    if (choice->is_native()) return nullptr;
    return ready(*choice) ? choice : nullptr;
}

const Choice* Communicator::choose_nonblocking(Operation operation, Bytes bytes, bool commutative) {
    if (forced_) return moves_bit_by_bit(*forced_) ? forced_ : nullptr;
    Chosen& known = chosen(operation, bytes, commutative, false);
    if (!known.nonblocking) {
        const Chooser* others = session()->chooser_bit_by_bit.get();
        const Request request{operation, &hierarchy_, 0, commutative};
        known.nonblocking = known.choice;
        if (!moves_bit_by_bit(known.choice) && others)
            known.nonblocking = others->choose(request, size_class(bytes, choice_bits));
    }
    const Choice& choice = *known.nonblocking;
    return moves_bit_by_bit(choice) ? &choice : nullptr;
}

void Communicator::begin_lesson(Chosen& chosen, const Request& request, Bytes bytes,
                                bool bits_may_change) {
    if (!learning_) learning_ = std::make_unique<Learning>(*this);
    chosen.lesson = learning_->lesson(request, bytes, bits_may_change);
    if (!chosen.lesson) return;
    const Bytes least = size_class(bytes, choice_bits);
    for (std::size_t arm = 0; arm < chosen.lesson->learner().arms().size(); ++arm)
        chosen.arms.push_back(chosen.lesson->choice(arm, request, least));
}

std::shared_ptr<const Prepared> Communicator::shared_prepared(const Choice& choice,
                                                              const Request& request) {
    const Key key{request.operation, request.root, request.commutative, choice};
    if (const auto* known = prepared_.find(key)) return *known;
    auto fresh = std::make_shared<const Prepared>(plan(choice, request, rank_));
    report_plan(choice, request, *fresh, prepared_.size());
    return prepared_.put(key, std::move(fresh));
}

// After very many calls the tags begin anew.
int Communicator::next_tag() {
    const int tag = tags_.next();
    const auto in_use = [&] {
        const std::lock_guard lock(mutex_of_tags_);
        return std::find(tags_in_use_.begin(), tags_in_use_.end(), tag) != tags_in_use_.end();
    };
    while (in_use()) {
        int there = 0;
        check_mpi(native().Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, hidden_, &there, MPI_STATUS_IGNORE));
        move_pending();
    }
    return tag;
}

std::vector<int> Communicator::join(int schedules) {
    std::vector<int> tags;
    while (static_cast<int>(tags.size()) < schedules) tags.push_back(next_tag());
    const std::lock_guard lock(mutex_of_tags_);
    tags_in_use_.insert(tags_in_use_.end(), tags.begin(), tags.end());
    return tags;
}

void Communicator::leave(const std::vector<int>& tags) noexcept {
    const std::lock_guard lock(mutex_of_tags_);
    for (const int tag : tags) std::erase(tags_in_use_, tag);
}

bool Communicator::has_calls() const {
    const std::lock_guard lock(mutex_of_tags_);
    return !tags_in_use_.empty();
}

bool Communicator::outlive() {
    const std::lock_guard lock(mutex_of_tags_);
    if (!tags_in_use_.empty()) outlives_ = true;
    return outlives_;
}

std::unique_ptr<RunningCall> Communicator::begin_at(int first_tag, const Prepared& prepared,
                                                    const Layout& layout, const Combine& combine,
                                                    const Reduction& reduction) {
    ECO_CHECK(prepared.tags() <= Tags::of_one_call);
    const RunningCall::Way way{hidden_, {}, first_tag};
    return std::make_unique<RunningCall>(way, prepared, layout, combine, reduction);
}

std::unique_ptr<RunningCall> Communicator::begin(const Choice& choice, const Prepared& prepared,
                                                 const Layout& layout, const Combine& combine,
                                                 const Reduction& reduction) {
    // Multicasts take the other half (mcast_transport.h).
    ECO_CHECK(prepared.tags() <=
              (choice.is_mcast() ? Tags::of_one_call / 2 - 2 : Tags::of_one_call));
    deferred_sends_.drop_ended();
    RunningCall::Way way{hidden_, {inside_, &inside_ranks_}, next_tag(), &deferred_sends_};
    if (choice.rails > 0) {
        way.rails = session()->rails.messages.get();
        way.rail_context = &rails_;
        way.most_rails = choice.rails;
    }
    if (choice.is_mcast()) {
        way.mcast = session()->mcast.channel.get();
        way.mcast_context = &mcast_;
        way.top = &hierarchy_.top;
        way.rank = rank_;
    }
    return std::make_unique<RunningCall>(way, prepared, layout, combine, reduction);
}

void Communicator::run(const Choice& choice, const Prepared& prepared, const Layout& layout,
                       const Combine& combine, const Reduction& reduction) {
    auto call = begin(choice, prepared, layout, combine, reduction);
    call->start();
    call->finish();
    if (call->is_behind()) take_left(std::move(call));
}

void Communicator::take_left(std::unique_ptr<RunningCall> call) {
    Left left{std::move(call), {}};
    left.tags.push_back(left.call->first_tag());
    {
        const std::lock_guard lock(mutex_of_tags_);
        tags_in_use_.insert(tags_in_use_.end(), left.tags.begin(), left.tags.end());
    }
    {
        const McastTurn turn(mcast_);
        left_.push_back(std::move(left));
    }
    start_moving_left(*this);
}

bool Communicator::move_left() noexcept {
    std::vector<Left> over;
    bool is_more = false;
    try {
        is_more = McastTransport::move_left(mcast_, *session()->mcast.channel);
        if (!McastTurn::try_take(mcast_)) return true;
        const McastTurn turn(mcast_, std::adopt_lock);
        const auto first = std::partition(left_.begin(), left_.end(),
                                          [](const Left& each) { return each.call->is_behind(); });
        std::move(first, left_.end(), std::back_inserter(over));
        left_.erase(first, left_.end());
    } catch (const MpiError& error) {
        abandon(error.code);
    } catch (...) {
        abandon();
    }
    for (const Left& each : over) leave(each.tags);
    return is_more && !failed_;
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

// Whether all ranks hold few enough hidden communicators for one more.
bool Communicator::has_room(MPI_Comm comm) const {
    int room = session()->hidden_communicators < most_hidden ? 1 : 0, all = 0;
    return native().Allreduce(&room, &all, 1, native().int32, native().min, comm) == MPI_SUCCESS &&
           all == 1;
}

bool Communicator::make_hidden() {
    const Native& mpi = native();
    Session& here = *session();
    MPI_Group group{};
    usable_ = false;
    if (!has_room(comm_)) return false;
    if (mpi.Comm_group(comm_, &group) != MPI_SUCCESS) return false;
    const int code = [&] {
        // The program's handler must not hear of a failure that native calls would not have had.
        const Quiet quiet(comm_);
        // Not a duplicate, which would call the program's attribute callbacks.
        return mpi.Comm_create(comm_, group, &hidden_);
    }();
    mpi.Group_free(&group);
    if (code != MPI_SUCCESS) {
        hidden_ = mpi.comm_null;
        return false;
    }
    mpi.Comm_set_errhandler(hidden_, mpi.errors_return);
    ++here.hidden_communicators;
    return usable_ = true;
}

const Clusters& Communicator::clusters() {
    const std::lock_guard one_at_a_time(finding_clusters_);
    if (clusters_.empty()) clusters_ = find_clusters(session()->profile, host_of_, bindings_);
    return clusters_;
}

Ways Communicator::ways() const { return {shared_links(session()->profile), host_of_}; }

bool Communicator::ready(const Choice& choice) {
    if (!ready() || (choice.rails > 0 && !make_rails())) return false;
    if (choice.is_mcast() && !make_mcast()) return false;
    if (!choice.native_inside()) return true;
    if (state_of_inside_ == State::none) make_inside();
    return state_of_inside_ == State::made;
}

void Communicator::make_inside() {
    const Native& mpi = native();
    state_of_inside_ = State::refused;
    if (!has_room(hidden_)) return;
    inside_ranks_ = innermost(hierarchy_.top, rank_).ranks;
    const int colour = inside_ranks_.size() > 1 ? inside_ranks_.front() : MPI_UNDEFINED;
    std::sort(inside_ranks_.begin(), inside_ranks_.end());
    if (mpi.Comm_split(hidden_, colour, rank_, &inside_) != MPI_SUCCESS) {
        inside_ = mpi.comm_null;
        usable_ = false;
        return;
    }
    state_of_inside_ = State::made;
    if (inside_ == mpi.comm_null) return;
    mpi.Comm_set_errhandler(inside_, mpi.errors_return);
    ++session()->hidden_communicators;
}

// So many calls may be under way at once before the first one's tags come again.
static constexpr int least_calls = 256;

static bool hook_minds_threads() {
    int level = MPI_THREAD_SINGLE;
    check_mpi(native().Query_thread(&level));
    return level == MPI_THREAD_MULTIPLE && !progress_hook_goes_with_threads;
}

// Needs ready(). On this rank.
bool Communicator::hook_works() {
    return !hook_minds_threads() && tags_.calls() >= least_calls &&
           progress_hook_works(hidden_, rank_);
}

void Communicator::settle_nonblocking() {
    const Native& mpi = native();
    nonblocking_ = Asked::refused;
    const Session& here = *session();
    if (here.settings.nonblocking == Nonblocking::off || !ready()) return;
    const bool threads = hook_minds_threads();
    int works = hook_works(), all = 0;
    if (mpi.Allreduce(&works, &all, 1, mpi.int32, mpi.min, hidden_) != MPI_SUCCESS) return;
    if (all) nonblocking_ = Asked::works;
    if (!all && here.settings.verbose > 0)
        complain_once(threads
                          ? "non-blocking collectives are native: with MPI_THREAD_MULTIPLE this "
                            "MPI library lets nothing be done while it waits"
                          : "non-blocking collectives are native: this MPI library does not "
                            "call ECO while it waits");
    int kind = MPI_UNDEFINED;
    check_mpi(mpi.Topo_test(comm_, &kind));
    if (all && kind != MPI_UNDEFINED && here.settings.choice != "native") neighbourhood();
}

Neighbourhood* Communicator::known_neighbourhood() const {
    return neighbourhood_ && neighbourhood_->usable() ? neighbourhood_.get() : nullptr;
}

Neighbourhood* Communicator::neighbourhood() {
    if (!can_predict()) return nullptr;
    // Without a measured model nothing is known of media, on which everything hangs here: then
    // neither edges are gathered nor plans made, nor the network built.
    const auto& model = session()->profile.model;
    const bool assumed = !model || model->assumed;
    if (session()->settings.choice == "auto" && assumed) return nullptr;
    if (!ready()) return nullptr;
    if (!neighbourhood_) neighbourhood_ = std::make_unique<Neighbourhood>(comm_, *this);
    return neighbourhood_->usable() ? neighbourhood_.get() : nullptr;
}

// That no other communicator has, given out by rank 0. 0, and not usable any more, where MPI
// failed.
std::uint64_t Communicator::number_of_its_own() {
    Session& here = *session();
    int number[2] = {here.world_rank, 0};
    if (rank_ == 0) {
        const std::lock_guard lock(here.mutex);
        number[1] = ++here.contexts;
    }
    const Native& mpi = native();
    usable_ = mpi.Bcast(number, 2, mpi.int32, 0, hidden_) == MPI_SUCCESS;
    if (!usable_) return 0;
    return static_cast<std::uint64_t>(number[0]) << 32 | static_cast<std::uint64_t>(number[1]);
}

bool Communicator::make_rails() {
    if (!session()->rails.open) return false;
    if (rails_.number == 0) rails_.number = number_of_its_own();
    return rails_.number != 0;
}

bool Communicator::make_mcast() {
    if (!session()->mcast.channel) return false;
    if (mcast_.number != 0) return true;
    mcast_.number = number_of_its_own();
    if (mcast_.number == 0) return false;
    session()->mcast.channel->know(mcast_.number);
    mcast_.talk =
        std::make_unique<McastTalk>(std::make_unique<MpiTransport>(hidden_), mcast_status_tag,
                                    mcast_answer_tag, session()->mcast.channel->payload());
    mcast_.may_leave = session()->settings.nonblocking != Nonblocking::off && hook_works();
    return true;
}

void Communicator::abandon(int library_code) {
    usable_ = false;
    failed_ = true;
    lost_ = lost_ || !says_that_a_process_failed(library_code);
}

bool Communicator::still_talks() noexcept {
    if (!mcast_.talk || failed_) return false;
    try {
        const bool is_left = move_left();
        const McastTurn turn(mcast_);
        mcast_.talk->move();
        return is_left || !mcast_.talk->is_over();
    } catch (...) {
        failed_ = true;
        return false;
    }
}

void Communicator::release() noexcept {
    if (Session* here = session(); here && learning_) {
        const std::lock_guard lock(here->mutex);
        try {
            if (here->world_rank == 0) learning_->collect(here->results);
        } catch (const std::bad_alloc&) {
            // Then a later job learns it again.
        }
        learning_.reset();
        chosen_.clear();
    }
    if (Session* here = session(); here && here->mcast.channel && mcast_.number != 0)
        here->mcast.channel->forget(mcast_.number);
    if (!failed_) deferred_sends_.finish();
    while (still_talks()) sched_yield();
    stop_moving_left(*this);
    // After an error messages may be under way in what they keep.
    for (Left& each : left_) static_cast<void>(each.call.release());
    left_.clear();
    mcast_.talk.reset();
    for (MPI_Comm* own : {&inside_, &hidden_}) {
        if (*own == native().comm_null) continue;
        native().Comm_free(own);
        *own = native().comm_null;
        if (session()) --session()->hidden_communicators;
    }
    usable_ = false;
}

// The attribute of a communicator that there was no memory for in a collective on it.
static char lost_before_it_was_made;

static void* attribute_of(MPI_Comm comm, const Session& here) {
    void* attribute = nullptr;
    int found = 0;
    const int code =
        native().Comm_get_attr(comm, here.keyval, static_cast<void*>(&attribute), &found);
    return code == MPI_SUCCESS && found ? attribute : nullptr;
}

// Looked up once, as another thread may attach one meanwhile.
struct Attached {
    Communicator* made;
    bool lost;  // before it was made
};
static Attached attached(MPI_Comm comm, const Session& here) {
    void* attribute = attribute_of(comm, here);
    if (attribute == &lost_before_it_was_made) return {nullptr, true};
    return {static_cast<Communicator*>(attribute), false};
}

// Two threads may ask for a communicator at once, one of them by a local call of eco.h: the second
// to come must find the first one's.
static Communicator* attach(MPI_Comm comm, Session& here) {
    static std::mutex making;
    const std::lock_guard one_at_a_time(making);
    if (Communicator* made = attached(comm, here).made) return made;
    auto fresh = std::make_unique<Communicator>(comm, here);
    const std::lock_guard lock(here.mutex);
    here.communicators.push_back(fresh.get());
    if (native().Comm_set_attr(comm, here.keyval, fresh.get()) == MPI_SUCCESS)
        return fresh.release();
    here.communicators.pop_back();
    return nullptr;
}

Communicator* communicator_of(MPI_Comm comm) {
    meet(comm);
    Session* here = session();
    if (!here || comm == native().comm_null) return nullptr;
    free_left_over();
    auto [communicator, lost] = attached(comm, *here);
    if (lost || (communicator && communicator->is_lost()))
        throw Error(Code::environment,
                    "an earlier collective on this communicator failed here, and other ranks may "
                    "wait in it for ever");
    try {
        if (!communicator) communicator = attach(comm, *here);
    } catch (...) {
        native().Comm_set_attr(comm, here->keyval, &lost_before_it_was_made);
        throw;
    }
    return communicator && communicator->usable() ? communicator : nullptr;
}

Communicator* known_communicator(MPI_Comm comm) {
    Session* here = session();
    if (!here || comm == native().comm_null) return nullptr;
    auto [communicator, lost] = attached(comm, *here);
    if (!communicator && !lost) communicator = attach(comm, *here);
    return communicator && communicator->usable() ? communicator : nullptr;
}

Communicator* communicator_for_nonblocking(MPI_Comm comm) {
    Session* here = session();
    if (!here) {
        // All ranks have made such calls when the session begins on this communicator.
        if (comm == native().comm_world) note_nonblocking_before_session();
        return nullptr;
    }
    if (here->settings.nonblocking == Nonblocking::off || comm == native().comm_null)
        return nullptr;
    free_left_over();
    Communicator* communicator = known_communicator(comm);
    if (!communicator) return nullptr;
    communicator->want_nonblocking();
    return communicator->has_nonblocking() ? communicator : nullptr;
}

void expect_nonblocking(MPI_Comm parent, MPI_Comm comm) noexcept {
    Session* here = session();
    const MPI_Comm null = native().comm_null;
    if (!here || comm == null || here->settings.nonblocking == Nonblocking::off) return;
    try {
        Communicator* made_of = known_communicator(parent);
        if (!made_of || !made_of->asked_for_nonblocking()) return;
        if (made_of->wants_nonblocking()) made_of->settle_nonblocking();
        Communicator* communicator = known_communicator(comm);
        if (!communicator) return;
        communicator->want_nonblocking();
        communicator->settle_nonblocking();
    } catch (...) {
        // Other ranks may count on it.
        if (Communicator* communicator = known_communicator(comm)) communicator->abandon();
    }
}

void free_left_over() noexcept {
    Session* here = session();
    if (!here || !here->some_outlive.exchange(false)) return;
    std::vector<Communicator*> left;
    {
        const std::lock_guard lock(here->mutex);
        for (Communicator* each : here->communicators)
            if (each->outlives() && !each->is_left_over()) here->some_outlive = true;
        for (Communicator* each : here->communicators)
            if (each->is_left_over()) left.push_back(each);
        std::erase_if(here->communicators, [](Communicator* each) { return each->is_left_over(); });
    }
    for (Communicator* each : left) {
        each->release();
        delete each;
    }
}

void forget(void* attribute) noexcept {
    if (attribute == &lost_before_it_was_made) return;
    auto* communicator = static_cast<Communicator*>(attribute);
    if (communicator->outlive()) {
        if (Session* here = session()) here->some_outlive = true;
        return;
    }
    const std::unique_ptr<Communicator> last(communicator);
    communicator->release();
    if (Session* here = session()) {
        const std::lock_guard lock(here->mutex);
        std::erase(here->communicators, communicator);
    }
}

}  // namespace eco
