// SPDX-License-Identifier: BSD-3-Clause
// ECO's data of one of the program's communicators: where its ranks are, the hidden communicators
// that schedules run on, and the programs planned so far. Made at the communicator's first
// collective, without communication; kept as its attribute; freed with it.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "eco/base/found_once.h"
#include "eco/base/recent.h"
#include "eco/job/mcast_calls.h"
#include "eco/job/network_check.h"
#include "eco/job/running_call.h"
#include "eco/job/session.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/mpi/tags.h"
#include "eco/run/execution.h"
#include "eco/topology/clusters.h"
#include "eco/topology/placement.h"

namespace eco {

class Learning;
class Lesson;
class MulticastPlans;
struct Multicasting;
class Neighbourhood;
class NonblockingLearning;
class NonblockingLesson;
struct Rivals;
struct TimedCall;

// What number_of_its_own() gives has no more, in jobs of up to 32,768 ranks.
inline constexpr int bits_of_numbers = 47;

// Of each cache of a communicator. A plan of many segments has some tens of kB; to make one again
// takes less time than to run it.
inline constexpr std::size_t most_bytes_of_plans = std::size_t{4} << 20;

class Communicator {
public:
    Communicator(MPI_Comm comm, Session& session);
    ~Communicator();

    // False for an intercommunicator, a lone rank, or ranks whose host is not known, and where its
    // collectives are the library's for another reason.
    bool usable() const { return usable_; }
    // Whether it is known where its ranks are; stays as it is.
    bool placed() const { return placed_; }
    Rank rank() const { return rank_; }
    Rank world_rank(Rank rank) const { return rails_.world[static_cast<std::size_t>(rank)]; }
    int size() const { return size_; }
    const Hierarchy& hierarchy() const { return hierarchy_; }

    // What runs a call of this size; the same on all ranks. Null: the native function. Collective
    // the first time that it is not, and at some calls where something is learned.
    // may_vary: whether learning may change the bits of the result, as nobody can see it or because
    // it was asked for (ECO_LEARN=all). timed: the lesson
    // that wants to know when the call is over, or null. Throws MpiError.
    const Choice* choose(Operation operation, Bytes bytes, bool commutative, bool may_vary,
                         Lesson** timed);
    // Without learning anything.
    const Choice* choose(Operation operation, Bytes bytes, bool commutative);

    // Whether a plan of several multicasts runs its call, or the library: the same, also for calls
    // that do not block.
    bool takes(Operation operation, const Multicasting& plan, Lesson** timed);
    bool takes_nonblocking(Operation operation, const Multicasting& plan, bool persists,
                           std::shared_ptr<TimedCall>* timed);

    // Whether each rank has the memory for it (planners/scratch.h), whatever chose it. The same on
    // all ranks.
    bool can_hold(const Choice& choice, Operation operation, Bytes bytes, bool commutative);

    // For calls that do not block: never collective, and only what progress can move on. Once
    // settle_nonblocking() has said that they work. timed: what wants to know when the call is
    // over, or null; a call that persists learns nothing.
    const Choice* choose_nonblocking(Operation operation, Bytes bytes, bool commutative,
                                     bool may_vary, bool persists,
                                     std::shared_ptr<TimedCall>* timed);
    // Without learning anything.
    const Choice* choose_nonblocking(Operation operation, Bytes bytes, bool commutative,
                                     bool persists);
    bool can_progress(const Choice& choice, bool persists) const;

    // The program has made, or may make, such calls on it. Then the next call on it that blocks
    // must find out whether ECO can run them: what they need is made there, and agreed upon.
    void want_nonblocking() {
        if (nonblocking_ == Asked::no) nonblocking_ = Asked::wanted;
    }
    bool wants_nonblocking() const { return nonblocking_ == Asked::wanted; }
    bool asked_for_nonblocking() const { return nonblocking_ != Asked::no; }
    bool has_nonblocking() const { return usable_ && nonblocking_ == Asked::works; }
    // Collective.
    void settle_nonblocking();

    // All its calls run this from now on, whatever is chosen; null: what is chosen. For timing: the
    // choice outlives its use, and all ranks call it. With learning off.
    void force(const Choice* choice) { forced_ = choice; }

    // This rank's program, planned at the first call; kept until many others have been used since.
    const Prepared& prepared(const Choice& choice, const Request& request) {
        return *shared_prepared(choice, request);
    }
    // For a call that may outlive that.
    std::shared_ptr<const Prepared> shared_prepared(const Choice& choice, const Request& request);

    // Makes a call of a prepared program, over the rails if the choice says so; the caller starts
    // it. Needs ready(choice). All ranks of the communicator make their calls in the same order.
    std::unique_ptr<RunningCall> begin(const Choice& choice, const Prepared& prepared,
                                       const Layout& layout, const Combine& combine,
                                       const Reduction& reduction);

    // The same for a call that does not block: its place among all calls was taken by join(), with
    // a first tag for each of its schedules. It must leave() when it is over; until then this is
    // not destroyed, even if the program frees its communicator.
    std::vector<int> join(int schedules);
    void leave(const std::vector<int>& tags) noexcept;
    // The same for a call that the library runs.
    std::vector<int> join_without_tag();
    // Tags for a persistent call, until it leaves. May ask all ranks. Empty if there are too many.
    std::vector<int> join_for_long(int schedules);
    // rails: to use, 0: none; calls: those that it is one of, if it multicasts; else null.
    std::unique_ptr<RunningCall> begin_at(int first_tag, int rails, McastCalls* calls,
                                          const Prepared& prepared, const Layout& layout,
                                          const Combine& combine, const Reduction& reduction);
    // The multicasts of calls that do not persist (needs ready(choice)), and those of the starts
    // of a persistent call, by its first tag (needs make_mcast_for_long()).
    McastCalls& mcast_calls() { return *mcast_; }
    McastCalls& mcast_calls(int first_tag);
    // All ranks alike; end: when the request is freed.
    void make_mcast_for_long(int first_tag);
    void end_mcast_for_long(int first_tag) noexcept;
    // Keeps a call that has_unacknowledged() messages, and its tags in use, until it has none.
    void adopt_unfinished(McastCalls& calls, std::unique_ptr<RunningCall> call);
    bool has_calls() const;
    // The program has freed its communicator. True if calls on it are under way.
    bool mark_freed();
    bool is_freed() const { return is_freed_; }
    bool is_drained() const { return is_freed_ && !has_calls(); }
    // Lets go of what its calls have sent and others have received; true when that is all. Does
    // not block.
    bool drop_sent() { return failed_ || deferred_sends_.drop_ended(); }

    // A blocking call, which is done when this returns. Throws MpiError and Error.
    void run(const Choice& choice, const Prepared& prepared, const Layout& layout,
             const Combine& combine, const Reduction& reduction);
    // After the run of a collective: if multicasts do not reach some ranks any more, classes that
    // multicast are checked soon. Local; alike on all ranks, as each message of such a call goes to
    // all of them.
    void note_fallback();

    // Makes the hidden communicator that schedules run on; collective the first time. False, and
    // the communicator not usable any more, where the library has no context left or ECO holds its
    // share of them on some rank.
    bool ready() { return hidden_ != native().comm_null || make_hidden(); }
    MPI_Comm hidden() const { return hidden_; }

    // The same for a choice: with inner=native it needs one for each innermost group as well, with
    // rails or multicasts the job's. False without them, and then always for such choices.
    bool ready(const Choice& choice);

    // Everybody's greatest figure of each place, on all ranks: by the profile's choice for such a
    // call, else natively. Collective; needs ready(). Throws MpiError.
    std::vector<double> greatest(const std::vector<double>& own);

    // After an error in a schedule, or on the way to one: it is lost on this rank. Other ranks wait
    // for what will not come, in calls that native ones do not meet; so the next collective on it
    // ends the job (communicator_of). Not if the library says that a process has failed: a
    // program may be made to go on from there, by native calls that the library ends on all ranks.
    void abandon(int library_code = MPI_SUCCESS);
    // The program has revoked its communicator, or a process has failed: ends all ranks' calls.
    void revoke_own() noexcept;
    bool failed() const { return failed_; }
    // Throws Error where an earlier call lost it.
    void check_not_broken() const;

    // Where each rank is, for programs that ask; found at the first question, of whichever thread.
    const Clusters& clusters();
    // What messages between ranks share, for their placement.
    LinksBetween links_between() const;
    const std::vector<int>& hosts() const { return host_of_; }
    int host_of(Rank rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
    // For the report: the same on all its ranks, and no other communicator's. 0 without a report.
    std::uint64_t report_number() const { return report_number_; }
    bool has_rank_0_of_job() const {
        return std::find(rails_.world.begin(), rails_.world.end(), 0) != rails_.world.end();
    }
    // For the report: how many graphs its ranks have exchanged before.
    int count_graph_exchange() { return graph_exchanges_++; }

    // Of its process topology; collective the first time. Null if ECO leaves it to the library.
    Neighbourhood* neighbourhood();
    // Without making it.
    Neighbourhood* known_neighbourhood() const;

    // Of its eco_multicast calls.
    MulticastPlans& multicasts() { return *multicasts_; }

    // From now on all that this communicator does is the library's. All its ranks must call it.
    void make_native() { usable_ = false; }

    // What was learned of calls that do not block and is not known to all ranks yet, when the
    // session ends: whether there is any; starts to exchange it, and ends that. All ranks alike,
    // in any order of communicators.
    bool has_times() const;
    void begin_last_exchange();
    void end_last_exchange();

    // Receives acknowledgements of earlier multicasts; whether more may come. All ranks call it for
    // all their communicators until none may come, before they free these.
    bool drain_acknowledgements() noexcept;

    // Moves on what calls have left for ranks that are late; whether there is more. In any thread.
    bool move_left() noexcept;

    void release() noexcept;

private:
    bool worked(int code);
    int least_of_all(MPI_Comm comm, int own);
    bool all_agree(MPI_Comm comm, bool own) { return least_of_all(comm, own ? 1 : 0) == 1; }
    bool make_hidden();
    bool create_hidden();
    void make_inside();
    bool make_rails();
    bool make_mcast();
    bool hook_works();
    void let_library_move() const;
    void let_use_rails(RunningCall::Channels& channels, int rails);
    void let_multicast(RunningCall::Channels& channels, McastCalls& calls);
    void make(McastCalls& calls, std::uint64_t number, std::uint32_t first, int status_tag,
              int answer_tag);
    std::vector<std::shared_ptr<McastCalls>> all_mcast_calls() const;
    void drop_freed_mcasts();
    std::uint64_t number_of_its_own();

    MPI_Comm comm_, hidden_, inside_;
    enum class State { none, made, refused } state_of_inside_ = State::none;
    std::vector<Rank> inside_ranks_;
    bool placed_ = false, failed_ = false, broken_ = false;
    std::atomic<bool> usable_ = false, is_freed_ = false;
    enum class Asked { no, wanted, works, refused } nonblocking_ = Asked::no;
    Rank rank_ = 0;
    int size_ = 0;
    std::uint64_t report_number_ = 0;
    int graph_exchanges_ = 0;
    Hierarchy hierarchy_;
    std::vector<int> host_of_;
    DeferredSends deferred_sends_;
    Tags tags_;
    mutable std::mutex mutex_of_tags_;
    std::vector<int> tags_in_use_;  // of calls that do not block
    int next_tag();
    void synchronize_tags();
    bool is_in_use(int tag) const;
    RailContext rails_;
    std::shared_ptr<McastCalls> mcast_ = std::make_shared<McastCalls>();
    // Of persistent calls, by their first tag, which is in use as long: with mutex_of_tags_.
    std::map<int, std::shared_ptr<McastCalls>> mcast_for_long_;
    std::uint32_t mcasts_for_long_ = 0;  // so far
    std::vector<Binding> bindings_;
    FoundOnce<Clusters> clusters_;
    const Chooser* chooser_;
    const Choice* forced_ = nullptr;
    NetworkCheck network_check_;
    bool fits_network(Bytes bytes, NetworkCheck::When when);
    void keep_bits(Choice& choice, const Request& request);
    struct Chosen {
        Choice choice;
        std::optional<Choice> own_nonblocking;  // if the profile has one for such calls
        int calls = 0;                          // before learning began
        bool learned = false;                   // it has, if there is anything to learn
        Lesson* lesson = nullptr;               // what may run another choice
        std::vector<Choice> arms;               // of the lesson
        // Of calls that do not block, and the same for them.
        std::optional<Choice> nonblocking, persistent;
        int nonblocking_calls = 0;
        NonblockingLesson* nonblocking_lesson = nullptr;
        std::vector<Choice> nonblocking_arms;
    };
    // By operation, whether it commutes, whether its bits may change, and the least size of the
    // class (-1: not known). All ranks forget alike; what was learned stays with the lesson.
    Recent<std::tuple<Operation, bool, bool, Bytes>, Chosen> chosen_;
    std::unique_ptr<Learning> learning_;
    bool has_unreachable_ = false;  // of the last run
    Chosen& chosen(Operation operation, Bytes bytes, bool commutative, bool may_vary);
    void begin_lesson(Chosen& chosen, const Request& request, Bytes bytes, bool may_vary);
    std::unique_ptr<NonblockingLearning> nonblocking_learning_;
    Choice usual_nonblocking(const Request& request, Bytes least, bool may_vary, bool persists);
    Rivals nonblocking_rivals(const Request& request, Bytes class_least, bool may_vary);
    Choice first_nonblocking(const Request& request, Bytes least, bool may_vary, bool persists);
    void begin_nonblocking_lesson(Chosen& chosen, const Request& request, Bytes bytes,
                                  bool may_vary);
    // By operation, root and whether it commutes.
    Recent<std::tuple<Operation, Rank, bool, Choice>, std::shared_ptr<const Prepared>> prepared_;
    // Bytes of scratch for each of a message, by operation and whether it commutes.
    Recent<std::tuple<Operation, bool, Choice>, double> scratch_;
    // Of a plan's calls, by operation and the plan's number.
    struct CallsOfPlan {
        int calls = 0, nonblocking_calls = 0;  // before learning began
        std::optional<bool> runs;              // of blocking calls, by what earlier jobs learned
        std::optional<bool> runs_nonblocking;
        Lesson* lesson = nullptr;
        NonblockingLesson* nonblocking_lesson = nullptr;
    };
    std::map<std::pair<Operation, std::uint64_t>, CallsOfPlan> calls_of_plans_;
    LearnedClass class_of_plan(Operation operation, const Multicasting& plan, bool blocks) const;
    bool runs_plan(Operation operation, const Multicasting& plan, bool blocks) const;
    std::unique_ptr<Neighbourhood> neighbourhood_;
    std::unique_ptr<MulticastPlans> multicasts_;
};

// The least of the sizes that one plan does for: 4 classes from one power of two to the next, or as
// many as 2 to the power of `bits - 1`.
Bytes size_class(Bytes bytes, int bits = 3);

// Null if its collectives are native. For calls that are collective over it and
// block: may begin the session (session.h, ensure_session). Throws Error where it is broken.
Communicator* communicator_of(MPI_Comm comm);

// The same for local calls, in any thread: null also before the session has begun.
Communicator* known_communicator(MPI_Comm comm);

// For what the program asks about the network, in any thread: null where it is not known where the
// ranks are, or before the session has begun.
Communicator* placed_communicator(MPI_Comm comm);

// Throws Error where an earlier call broke it: before what all of its ranks do together and the
// library does alone. Local.
void check_not_broken(MPI_Comm comm);

// After a failure on this rank alone in what all ranks of comm do together: as abandon(), though
// there may be no memory to make its Communicator.
void mark_broken(MPI_Comm comm) noexcept;

// After the program has revoked comm: ends what ranks do in ECO's calls on it.
void revoke_calls_on(MPI_Comm comm) noexcept;

// For calls that do not block, and are local: null where they are native.
Communicator* communicator_for_nonblocking(MPI_Comm comm);

// For what makes persistent calls, which all ranks do, in one order.
Communicator* communicator_for_persistent(MPI_Comm comm);

// Right after `comm` was made of `parent`, by all of the latter's ranks: gets ready for calls that
// do not block if the program made some on the parent, or may make some.
void expect_nonblocking(MPI_Comm parent, MPI_Comm comm) noexcept;

// Frees what outlived its communicator and is not needed any more. Not from within progress.
void free_drained() noexcept;

// Called by the attribute's delete callback.
void forget(void* attribute) noexcept;

}  // namespace eco
