// What one process of a running job knows: the profile and settings that rank 0 of the job read and
// shared out, and where each rank of MPI_COMM_WORLD is: its host, and what it is bound to there.
// Begun by MPI_Init, ended by MPI_Finalize.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eco/interpose/native.h"
#include "eco/interpose/rails.h"
#include "eco/learn/learned.h"
#include "eco/plan/choose.h"
#include "eco/topology/network.h"

namespace eco {

class Communicator;

struct Session {
    Settings settings;
    Profile profile;  // its runtime part
    std::unique_ptr<Chooser> chooser;
    std::vector<int> host_of_world;  // per world rank, index in profile.hosts; -1: not in it
    std::vector<Binding> bindings_of_world;  // empty where no host has levels inside
    Rank world_rank = 0;
    MPI_Group world_group;
    int keyval = MPI_KEYVAL_INVALID;
    JobRails rails;
    std::string library;                // as tuning entries have it
    std::vector<LearnedClass> learned;  // by earlier jobs, of this library and network

    std::mutex mutex;  // of what follows
    std::vector<Communicator*> communicators;
    std::optional<Network> network;
    std::atomic<int> hidden_communicators = 0;
    int rail_contexts = 0;  // given out by this rank
    bool complained = false;
    std::vector<LearnedClass> results;  // of this job's communicators that are gone
};

// Null where ECO stands aside: before MPI_Init, without a profile, after MPI_Finalize.
Session* session();

// Collective over MPI_COMM_WORLD, right after the native MPI_Init. Never fails: where it cannot
// work it leaves session() null, and rank 0 says why in one line.
void begin_session();

// Family and version, as tuning entries have it: "openmpi 5.0.11".
std::string library_name();

// The same with a given profile, for the probe; with its rails where asked.
void begin_session(const Settings& settings, const Profile& profile, bool with_rails,
                   const std::string& library = library_name());

// Before the native MPI_Finalize: says what was used if asked, frees ECO's communicators.
void end_session();

// The profile's network, built at the first question. Needs can_predict().
const Network& network();
bool can_predict();

// One line on stderr, at most once in a job's process.
void complain_once(const std::string& why);

std::string processor_name();

}  // namespace eco
