// SPDX-License-Identifier: BSD-3-Clause
// The data that one process of a running job has: the profile and settings that rank 0 of the job
// read and shared, and where each rank of MPI_COMM_WORLD is: its host, and its binding there. Begun
// by the first collective on MPI_COMM_WORLD, ended by MPI_Finalize.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eco/base/error.h"
#include "eco/job/job_mcast.h"
#include "eco/job/job_rails.h"
#include "eco/job/share.h"
#include "eco/mpi/clocks.h"
#include "eco/mpi/native.h"
#include "eco/selection/choose.h"
#include "eco/simulate/hosts_predictor.h"
#include "eco/topology/network.h"

namespace eco {

class Communicator;

struct Session {
    Settings settings;
    Profile profile;                            // its runtime part
    std::unique_ptr<HostsPredictor> predictor;  // which chooser asks
    std::unique_ptr<Chooser> chooser;
    // Only choices that the library's progress advances (can_progress_asynchronously); null if all
    // are.
    std::unique_ptr<Chooser> asynchronous_chooser;
    Whereabouts where;  // by world rank
    Rank world_rank = 0;
    MPI_Group world_group;
    int keyval = MPI_KEYVAL_INVALID;
    JobRails rails;
    JobMcast mcast;
    std::string library;                // as tuning entries have it
    std::vector<LearnedClass> learned;  // by earlier jobs, of this library and network

    bool nonblocking_before_it = false;  // on MPI_COMM_WORLD
    // NetworkCheck::Known, what a communicator of all ranks has found.
    std::atomic<int> known_of_network = 0;
    std::atomic<bool> other_network = false;  // a communicator of this rank has found so
    std::atomic<bool> some_draining = false;  // communicators whose calls are not over

    std::mutex building_network;
    std::optional<Network> network;  // network()

    std::mutex mutex;  // of what follows
    std::vector<Communicator*> communicators;
    std::atomic<int> hidden_communicators = 0;
    int contexts = 0;  // given out by this rank
    bool complained = false;
    std::vector<LearnedClass> results;  // of this job's communicators that are gone
    // What exchanges of times took this rank, its waiting for others among it: while choices are
    // compared, and later.
    struct Exchanges {
        long count = 0;
        Seconds time = 0;
    } comparing, checking;

    // Of the report (job_report.h).
    Clocks clocks;
    std::unique_ptr<WholeProfile> whole;  // rank 0's
    Seconds began = 0, shared = 0;        // own clock: the session's beginning, from and until
    std::map<std::uint64_t, std::uint64_t> groups;  // communicators so far, by their ranks
    std::unique_ptr<Chooser> would_choose;          // rank 0's, where ECO's schedules are off
};

// Null if all collectives are native: before the session has begun, without a profile, after
// MPI_Finalize.
Session* session();

// Right after the native MPI_Init, which it leaves as quick as it was: the session begins with the
// first collective on MPI_COMM_WORLD. With MPI_THREAD_MULTIPLE, where collectives of two threads
// have no order, and where the program asks by eco.h, which is local, it begins at once; that is
// collective.
void expect_session(bool threads_multiple) noexcept;

// Called first by what is collective over comm and blocks. Over MPI_COMM_WORLD, at the first call,
// begins the session: all ranks come to such a call, and in the same order among all that is
// collective over it, so that no other order of theirs is disturbed. Where it cannot work it leaves
// session() null on all ranks, and one rank says why in one line. A rank that fails alone, once
// the others may have begun, ends the job and says why (docs/decisions/0020).
void ensure_session(MPI_Comm comm) noexcept;

// Family and version, as tuning entries have it: "openmpi 5.0.11".
std::string library_name();

// At once with a given profile, for the probe; with its rails where asked. Collective.
void begin_session(const Settings& settings, const Profile& profile, bool with_rails,
                   const std::string& library = library_name());

// Before the native MPI_Finalize: says what was used if asked, frees all that ECO has of MPI's. A
// process that ends without it, or a child that it forked, frees nothing: rails are its parent's.
void end_session() noexcept;

// A collective that does not block was called on MPI_COMM_WORLD before the session has begun.
void note_nonblocking_before_session();

// Whether the library's progress alone advances a call of this choice, without blocking.
bool can_progress_asynchronously(const Choice& choice);

// The profile's network, built at the first question. Needs can_predict().
const Network& network();
bool can_predict();

// Ends the job, once the launcher has had time to pass on what this process wrote.
void abort_job(Code code);

// One line on stderr, at most once in a job's process.
void complain_once(const std::string& why);

}  // namespace eco
