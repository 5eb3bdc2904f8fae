#include "eco/interpose/communicator.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "eco/interpose/learning.h"
#include "eco/interpose/mpi_transport.h"
#include "eco/interpose/neighbourhood.h"
#include "eco/interpose/quiet.h"
#include "eco/interpose/report.h"

namespace eco {

// MPI libraries have about 2,000 contexts for all communicators; the rest are the program's.
static constexpr int most_hidden = 500;

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
        const bool is_far = group->passage && group->passage->whole.fixed >= long_way;
        for (const Rank rank : group->ranks) far[static_cast<std::size_t>(rank)] = is_far;
        group = &*std::find_if(group->parts.begin(), group->parts.end(),
                               [me](const Group& part) { return part.holds(me); });
    }
    far[static_cast<std::size_t>(me)] = false;
    return far;
}

Communicator::~Communicator() = default;

Communicator::Communicator(MPI_Comm comm, Session& session)
    : comm_(comm),
      hidden_(native().comm_null),
      inside_(native().comm_null),
      chooser_(session.chooser.get()),
      multicasts_(std::make_unique<MulticastPlans>()) {
    const Native& mpi = native();
    int inter = 0;
    MPI_Group group{};
    if (mpi.Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return;
    if (mpi.Comm_size(comm, &size_) != MPI_SUCCESS || size_ < 2) return;
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
    hierarchy_ = build_hierarchy(session.profile, host_of_, bindings_);
    lingering_.begin(far_from(hierarchy_, rank_));
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
    auto [entry, fresh] = chosen_.try_emplace({operation, commutative, bits_may_change, least});
    if (!fresh) return entry->second;
    const Request request{operation, &hierarchy_, 0, commutative};
    Choice& choice = entry->second.choice = chooser_->choose(request, least);
    const Session& here = *session();
    if (here.settings.learn == Learn::off) return entry->second;
    // What earlier jobs found; and where one choice must do for the whole job, the one that the
    // lesson will be about.
    const bool settled = here.settings.learn == Learn::settled;
    const Bytes class_least = learned_class(least);
    const Rivals rivals =
        find_rivals(*chooser_, here.learned, request, class_least, bits_may_change || settled);
    const bool one_for_all = !bits_may_change && rivals.worth_learning && !settled;
    if (rivals.preferred != 0 || one_for_all)
        choice = choice_in_class(rivals.choices[rivals.preferred], class_least, least, request);
    return entry->second;
}

const Choice* Communicator::choose(Operation operation, Bytes bytes, bool commutative) {
    if (!usable_) return nullptr;
    const Choice& choice = chosen(operation, bytes, commutative, false).choice;
    if (choice.family == Family::native) return nullptr;
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
    if (choice->family == Family::native) return nullptr;
    return ready(*choice) ? choice : nullptr;
}

void Communicator::begin_lesson(Chosen& chosen, const Request& request, Bytes bytes,
                                bool bits_may_change) {
    if (!learning_) learning_ = std::make_unique<Learning>(*this);
    chosen.lesson = learning_->lesson(request, bytes, bits_may_change);
    if (!chosen.lesson) return;
    const Bytes least = size_class(bytes, choice_bits);
    for (std::size_t arm = 0; arm < chosen.lesson->learner().arms().size(); ++arm)
        chosen.arms.push_back(Learning::choice_for(*chosen.lesson, arm, request, least));
}

const Prepared& Communicator::prepared(const Choice& choice, const Request& request) {
    auto& entry = prepared_[{request.operation, request.root, request.commutative, choice}];
    if (!entry) {
        entry = std::make_unique<Prepared>(plan(choice, request, rank_));
        report_plan(choice, request, *entry);
    }
    return *entry;
}

void Communicator::run(const Choice& choice, const Prepared& prepared, const Layout& layout,
                       const Combine& combine, const Reduction& reduction) {
    RailMessages* rails = choice.rails > 0 ? session()->rails.messages.get() : nullptr;
    lingering_.drop_ended();
    MpiTransport mpi(hidden_, {inside_, &inside_ranks_}, reduction, rails ? nullptr : &lingering_);
    if (rails) {
        RailTransport transport(*rails, rails_, choice.rails, mpi);
        execute(prepared, layout, combine, transport);
    } else {
        execute(prepared, layout, combine, mpi);
        mpi.leave();
    }
    mpi.check_truncated();
}

std::vector<double> Communicator::greatest(const std::vector<double>& own) {
    const Native& mpi = native();
    std::vector<double> all(own);
    const int count = static_cast<int>(own.size());
    const Bytes bytes = count * static_cast<Bytes>(sizeof(double));
    const Choice* choice = choose(Operation::allreduce, bytes, true);
    if (!choice) {
        check_mpi(mpi.Allreduce(own.data(), all.data(), count, mpi.real64, mpi.max, hidden_));
        return all;
    }
    Layout layout;
    layout.input = reinterpret_cast<std::byte*>(const_cast<double*>(own.data()));
    layout.output = reinterpret_cast<std::byte*>(all.data());
    layout.whole = bytes;
    layout.unit = sizeof(double);
    const Combine combine = [&mpi](std::byte* to, std::byte* from, Bytes length, bool) {
        check_mpi(mpi.Reduce_local(from, to, static_cast<int>(length / 8), mpi.real64, mpi.max));
    };
    run(*choice, prepared(*choice, {Operation::allreduce, &hierarchy_}), layout, combine,
        {mpi.real64, mpi.max, sizeof(double), 0});
    return all;
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
    if (clusters_.empty()) clusters_ = find_clusters(session()->profile, host_of_, bindings_);
    return clusters_;
}

Ways Communicator::ways() const { return {shared_links(session()->profile), host_of_}; }

bool Communicator::ready(const Choice& choice) {
    if (!ready() || (choice.rails > 0 && !make_rails())) return false;
    if (!choice.native_inside) return true;
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

// A number for messages over rails that no other communicator has, given out by rank 0.
bool Communicator::make_rails() {
    Session& here = *session();
    if (!here.rails.open) return false;
    if (rails_.number != 0) return true;
    int number[2] = {here.world_rank, 0};
    if (rank_ == 0) {
        const std::lock_guard lock(here.mutex);
        number[1] = ++here.rail_contexts;
    }
    const Native& mpi = native();
    if (mpi.Bcast(number, 2, mpi.int32, 0, hidden_) != MPI_SUCCESS) return usable_ = false;
    rails_.number =
        static_cast<std::uint64_t>(number[0]) << 32 | static_cast<std::uint64_t>(number[1]);
    return true;
}

void Communicator::release() {
    if (Session* here = session(); here && learning_) {
        const std::lock_guard lock(here->mutex);
        if (here->world_rank == 0) learning_->collect(here->results);
        learning_.reset();
        chosen_.clear();
    }
    if (!failed_) lingering_.finish();
    for (MPI_Comm* own : {&inside_, &hidden_}) {
        if (*own == native().comm_null) continue;
        native().Comm_free(own);
        *own = native().comm_null;
        if (session()) --session()->hidden_communicators;
    }
    usable_ = false;
}

Communicator* communicator_of(MPI_Comm comm) {
    meet(comm);
    return known_communicator(comm);
}

Communicator* known_communicator(MPI_Comm comm) {
    Session* here = session();
    const Native& mpi = native();
    if (!here || comm == mpi.comm_null) return nullptr;
    void* attribute = nullptr;
    int found = 0;
    if (mpi.Comm_get_attr(comm, here->keyval, static_cast<void*>(&attribute), &found) !=
        MPI_SUCCESS)
        return nullptr;
    if (!found) {
        auto fresh = std::make_unique<Communicator>(comm, *here);
        if (mpi.Comm_set_attr(comm, here->keyval, fresh.get()) != MPI_SUCCESS) return nullptr;
        const std::lock_guard lock(here->mutex);
        here->communicators.push_back(fresh.get());
        attribute = fresh.release();
    }
    auto* communicator = static_cast<Communicator*>(attribute);
    return communicator->usable() ? communicator : nullptr;
}

void forget(Communicator* communicator) {
    const std::unique_ptr<Communicator> last(communicator);
    communicator->release();
    if (Session* here = session()) {
        const std::lock_guard lock(here->mutex);
        std::erase(here->communicators, communicator);
    }
}

}  // namespace eco
