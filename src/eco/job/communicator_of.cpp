// SPDX-License-Identifier: BSD-3-Clause
// Which Communicator an MPI handle has: an attribute of it, made by the first call that needs one.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "eco/base/error.h"
#include "eco/job/communicator.h"
#include "eco/job/session.h"

namespace eco {

// The attribute of a communicator that there was no memory for in a collective on it.
static char broken_sentinel;

static void* attribute_of(MPI_Comm comm, const Session& here) {
    void* attribute = nullptr;
    int found = 0;
    const int code =
        native().Comm_get_attr(comm, here.keyval, static_cast<void*>(&attribute), &found);
    return code == MPI_SUCCESS && found ? attribute : nullptr;
}

// What this thread found last, as the library takes longer to look up an attribute. Holds until
// any communicator is freed: the library may give its handle to another.
struct Found {
    MPI_Comm comm{};
    Communicator* made = nullptr;
    unsigned freed = 0;
};
static thread_local constinit Found found_last;
static std::atomic<unsigned> freed{0};  // so far

// Looked up once, as another thread may attach one meanwhile.
struct Attached {
    Communicator* made;
    bool lost;  // before it was made
};
static Attached attached(MPI_Comm comm, const Session& here) {
    Found& last = found_last;
    const unsigned freed_now = freed.load(std::memory_order_acquire);
    if (last.made && last.comm == comm && last.freed == freed_now) return {last.made, false};
    void* attribute = attribute_of(comm, here);
    if (attribute == &broken_sentinel) return {nullptr, true};
    auto* made = static_cast<Communicator*>(attribute);
    last = {comm, made, freed_now};
    return {made, false};
}

[[noreturn]] static void refuse() {
    throw Error(Code::environment,
                "an earlier collective on this communicator failed here, and other ranks may wait "
                "in it forever");
}

void Communicator::check_not_broken() const {
    if (broken_) refuse();
}

static void refuse_if_lost(const Attached& found) {
    if (found.lost) refuse();
    if (found.made) found.made->check_not_broken();
}

// Two threads may ask for a communicator at once, one of them by a local call of eco.h: the second
// to come must find what the first one attached.
static std::mutex making;

static Communicator* attach(MPI_Comm comm, Session& here) {
    const std::lock_guard one_at_a_time(making);
    if (const Attached found = attached(comm, here); found.made || found.lost) return found.made;
    auto fresh = std::make_unique<Communicator>(comm, here);
    const std::lock_guard lock(here.mutex);
    here.communicators.push_back(fresh.get());
    const int code = native().Comm_set_attr(comm, here.keyval, fresh.get());
    if (code == MPI_SUCCESS) return fresh.release();
    here.communicators.pop_back();
    // An invalid one is the library's to complain of; else others take this rank along.
    if (fresh->usable()) throw MpiError{code};
    return nullptr;
}

Communicator* communicator_of(MPI_Comm comm) {
    ensure_session(comm);
    Session* here = session();
    if (!here || comm == native().comm_null) return nullptr;
    if (here->some_draining) free_drained();
    const Attached found = attached(comm, *here);
    refuse_if_lost(found);
    Communicator* communicator = found.made;
    try {
        if (!communicator) communicator = attach(comm, *here);
    } catch (...) {
        mark_broken(comm);
        throw;
    }
    return communicator && communicator->usable() ? communicator : nullptr;
}

static Communicator* made_or_attached(MPI_Comm comm) {
    Session* here = session();
    if (!here || comm == native().comm_null) return nullptr;
    Communicator* communicator = attached(comm, *here).made;
    return communicator ? communicator : attach(comm, *here);
}

Communicator* known_communicator(MPI_Comm comm) {
    Communicator* communicator = made_or_attached(comm);
    return communicator && communicator->usable() ? communicator : nullptr;
}

Communicator* placed_communicator(MPI_Comm comm) {
    Communicator* communicator = made_or_attached(comm);
    return communicator && communicator->placed() ? communicator : nullptr;
}

void check_not_broken(MPI_Comm comm) {
    Session* here = session();
    if (here && comm != native().comm_null) refuse_if_lost(attached(comm, *here));
}

void mark_broken(MPI_Comm comm) noexcept {
    Session* here = session();
    if (!here || comm == native().comm_null) return;
    const std::lock_guard one_at_a_time(making);
    if (Communicator* made = attached(comm, *here).made)
        made->abandon();
    else
        native().Comm_set_attr(comm, here->keyval, &broken_sentinel);
}

void revoke_calls_on(MPI_Comm comm) noexcept {
    Session* here = session();
    if (!here || comm == native().comm_null) return;
    if (Communicator* made = attached(comm, *here).made) made->revoke_own();
}

Communicator* communicator_for_nonblocking(MPI_Comm comm) {
    Session* here = session();
    if (!here) {
        // All ranks have made such calls when the session begins on this communicator.
        if (comm == native().comm_world) note_nonblocking_before_session();
        return nullptr;
    }
    if (comm == native().comm_null) return nullptr;
    const Attached found = attached(comm, *here);
    refuse_if_lost(found);
    if (here->settings.nonblocking == Nonblocking::off) return nullptr;
    if (here->some_draining) free_drained();
    Communicator* communicator = found.made ? found.made : attach(comm, *here);
    if (!communicator || !communicator->usable()) return nullptr;
    communicator->want_nonblocking();
    return communicator->has_nonblocking() ? communicator : nullptr;
}

Communicator* communicator_for_persistent(MPI_Comm comm) {
    Communicator* communicator = communicator_of(comm);
    if (!communicator || session()->settings.nonblocking == Nonblocking::off) return nullptr;
    communicator->want_nonblocking();
    if (communicator->wants_nonblocking()) communicator->settle_nonblocking();
    return communicator->has_nonblocking() ? communicator : nullptr;
}

void expect_nonblocking(MPI_Comm parent, MPI_Comm comm) noexcept {
    Session* here = session();
    const MPI_Comm null = native().comm_null;
    if (!here || here->settings.nonblocking == Nonblocking::off) return;
    try {
        Communicator* made_of = known_communicator(parent);
        if (!made_of || !made_of->asked_for_nonblocking()) return;
        // By all its ranks, also those that are not in the new one.
        if (made_of->wants_nonblocking()) made_of->settle_nonblocking();
        if (comm == null) return;
        Communicator* communicator = known_communicator(comm);
        if (!communicator) return;
        communicator->want_nonblocking();
        communicator->settle_nonblocking();
    } catch (...) {
        mark_broken(parent);  // other ranks may count on both
        if (comm != null) mark_broken(comm);
    }
}

void forget(void* attribute) noexcept {
    ++freed;
    if (attribute == &broken_sentinel) return;
    auto* communicator = static_cast<Communicator*>(attribute);
    if (communicator->mark_freed()) {
        if (Session* here = session()) here->some_draining = true;
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
