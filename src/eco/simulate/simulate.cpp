// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/simulate.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/simulate/events.h"
#include "eco/simulate/transit.h"

namespace eco {

namespace {

// Of a shared gap, what a rank takes that was idle: on the lab's processors waking it up takes most
// of the time. Each further message of its turn takes the rest.
constexpr double gap_of_turn = 0.75;

// The ranks' part: what each does when. What happens to a message between is transit.h.
class Simulation {
public:
    Simulation(const Network& network, const std::vector<int>& host_of,
               const std::vector<Program>& programs, const ChunkBytes& bytes, const Costs& costs)
        : network_(network),
          host_of_(host_of),
          programs_(programs),
          costs_(costs),
          ranks_(programs.size()) {
        ECO_CHECK(host_of.size() == programs.size());
        for (Rank rank = 0; rank < count(); ++rank) prepare(rank, bytes);
        match();
        transit_.emplace(network, host_of, events_, timeline_, [this](int message) {
            end(timeline_.messages[at(message)].from, timeline_.messages[at(message)].send);
        });
    }

    Timeline run() {
        for (Rank rank = 0; rank < count(); ++rank)
            for (int task = 0; task < static_cast<int>(program(rank).tasks.size()); ++task)
                if (state(rank, task).waits == 0) make_ready(rank, task, -1);
        while (true) {
            // Everything at this instant, before rates are settled once.
            while (events_.next() <= events_.now) handle(events_.take());
            transit_->settle();
            const Seconds end = transit_->next_end(), event = events_.next();
            if (std::min(end, event) == never) break;
            if (end <= event) {
                events_.now = std::max(events_.now, end);
                transit_->end_flows();
            } else {
                events_.now = event;
            }
        }
        ECO_CHECK(open_tasks_ == 0);  // else: a deadlock, which verify() would have found
        finish();
        return std::move(timeline_);
    }

private:
    struct TaskState {
        int waits = 0;
        Bytes bytes = 0;
        bool arrived = false, taken = false;
    };
    struct Job {
        int task;
        bool receive;  // taking in its message; else the task's own work
    };
    struct RankState {
        std::vector<TaskState> tasks;
        std::vector<std::vector<std::int32_t>> followers;
        std::deque<Job> jobs;
        bool busy = false;
        Job job{};
        Job last{-1, false};  // what occupied it last, until:
        Seconds idle_since = 0;
        bool has_turn = false;  // on processors that hosts share; until it is idle
    };
    using What = Events::Event::What;

    Seconds now() const { return events_.now; }
    Rank count() const { return static_cast<Rank>(programs_.size()); }
    const Program& program(Rank rank) const { return programs_[at(rank)]; }
    TaskState& state(Rank rank, int task) { return ranks_[at(rank)].tasks[at(task)]; }
    TaskTimes& times(Rank rank, int task) { return timeline_.tasks[at(rank)][at(task)]; }
    int host(Rank rank) const { return host_of_[at(rank)]; }

    void prepare(Rank rank, const ChunkBytes& bytes) {
        const Program& mine = program(rank);
        RankState& state = ranks_[at(rank)];
        state.tasks.resize(mine.tasks.size());
        state.followers.resize(mine.tasks.size());
        timeline_.tasks.emplace_back(mine.tasks.size());
        open_tasks_ += static_cast<std::int64_t>(mine.tasks.size());
        for (std::size_t t = 0; t < mine.tasks.size(); ++t) {
            const Task& task = mine.tasks[t];
            state.tasks[t].waits = task.end_wait - task.first_wait;
            for (const auto wait : mine.waits_of(task))
                state.followers[at(wait)].push_back(static_cast<std::int32_t>(t));
            for (const Chunk chunk : mine.chunks_of(task))
                state.tasks[t].bytes += bytes(chunk, mine.segments);
            if (!is_paced(task, state.tasks[t].bytes)) continue;
            ++state.tasks[t].waits;
            state.followers[at(task.pace)].push_back(static_cast<std::int32_t>(t));
        }
    }

    // Sends and receives, by their ranks and tag.
    void match() {
        struct End {
            Rank from, to;
            std::int32_t tag;
            int task;
            auto key() const { return std::tuple{from, to, tag}; }
        };
        std::vector<End> sends, receives, mcasts, mcast_receives;
        for (Rank rank = 0; rank < count(); ++rank)
            for (int t = 0; t < static_cast<int>(program(rank).tasks.size()); ++t) {
                const Task& task = program(rank).tasks[at(t)];
                if (task.kind == Kind::send)
                    sends.push_back({rank, task.peer, task.tag, t});
                else if (task.kind == Kind::recv || task.kind == Kind::reduce)
                    receives.push_back({task.peer, rank, task.tag, t});
                else if (task.kind == Kind::mcast_recv)
                    mcast_receives.push_back({task.peer, rank, task.tag, t});
                for (const Rank to : program(rank).receivers_of(task))
                    mcasts.push_back({rank, to, task.tag, t});
            }
        const auto by_key = [](const End& a, const End& b) { return a.key() < b.key(); };
        std::sort(sends.begin(), sends.end(), by_key);
        std::sort(receives.begin(), receives.end(), by_key);
        // Those of a multicast next to each other.
        const auto by_mcast = [](const End& a, const End& b) {
            return std::tuple{a.from, a.tag, a.to} < std::tuple{b.from, b.tag, b.to};
        };
        std::sort(mcasts.begin(), mcasts.end(), by_mcast);
        std::sort(mcast_receives.begin(), mcast_receives.end(), by_mcast);
        const std::size_t first_mcast = sends.size();
        sends.insert(sends.end(), mcasts.begin(), mcasts.end());
        receives.insert(receives.end(), mcast_receives.begin(), mcast_receives.end());
        ECO_CHECK(sends.size() == receives.size());
        timeline_.messages.resize(sends.size());
        for (std::size_t m = 0; m < sends.size(); ++m) {
            ECO_CHECK(sends[m].key() == receives[m].key());
            MessageTimes& message = timeline_.messages[m];
            message.from = sends[m].from;
            message.to = sends[m].to;
            message.send = sends[m].task;
            message.receive = receives[m].task;
            message.bytes = state(message.from, message.send).bytes;
            if (m >= first_mcast) {
                const bool is_first = m == first_mcast || sends[m - 1].from != sends[m].from ||
                                      sends[m - 1].tag != sends[m].tag;
                message.mcast = is_first ? static_cast<int>(m) : timeline_.messages[m - 1].mcast;
            }
            if (message.mcast < 0 || message.mcast == static_cast<int>(m))
                times(message.from, message.send).message = static_cast<int>(m);
            times(message.to, message.receive).message = static_cast<int>(m);
        }
    }

    void handle(const Events::Event& event) {
        if (event.what == What::arrival) {
            const MessageTimes& message = timeline_.messages[at(event.number)];
            state(message.to, message.receive).arrived = true;
            take_in(message.to, message.receive);
        } else if (event.what == What::resume) {
            transit_->resume(event.number);
        } else if (event.what == What::known) {
            const MessageTimes& message = timeline_.messages[at(event.number)];
            end(message.from, message.send);
        } else {
            finish_job(event.number);
        }
    }

    void make_ready(Rank rank, int task, int waited_for) {
        times(rank, task).ready = now();
        times(rank, task).waited_for = waited_for;
        const Kind kind = program(rank).tasks[at(task)].kind;
        if (kind == Kind::recv || kind == Kind::mcast_recv)
            take_in(rank, task);
        else if (kind != Kind::reduce || state(rank, task).taken)
            add_job(rank, {task, false});
    }

    // The message of a receive that has been started, once it is there.
    void take_in(Rank rank, int task) {
        const bool started =
            program(rank).tasks[at(task)].kind == Kind::reduce || state(rank, task).waits == 0;
        if (started && state(rank, task).arrived) add_job(rank, {task, true});
    }

    void add_job(Rank rank, Job job) {
        ranks_[at(rank)].jobs.push_back(job);
        next_job(rank);
    }

    void next_job(Rank rank) {
        RankState& mine = ranks_[at(rank)];
        if (mine.busy || mine.jobs.empty()) return;
        mine.job = mine.jobs.front();
        mine.jobs.pop_front();
        mine.busy = true;
        Occupied& when = occupied(rank, mine.job);
        when.start = now();
        if (mine.last.task >= 0 && mine.idle_since == now() && waited(rank, mine.job)) {
            when.before = mine.last.task;
            when.before_takes = mine.last.receive;
        }
        events_.add(turn(rank, mine.job) + duration(rank, mine.job), What::idle, rank);
    }

    // When processors that all hosts share begin with the job. A message waits for its rank's turn,
    // first come, first served; all that the rank has to do by then it does in the same turn.
    Seconds turn(Rank rank, const Job& job) {
        if (network_.shared_gap <= 0) return now();
        RankState& mine = ranks_[at(rank)];
        const bool was_idle = mine.last.task < 0 || mine.idle_since != now();
        if (was_idle) mine.has_turn = false;
        if (!crosses(rank, job)) return now();
        const bool goes_on = mine.has_turn;
        mine.has_turn = true;
        const Seconds free = std::max(now(), processors_free_);
        const double part = goes_on ? 1 - gap_of_turn : gap_of_turn;
        processors_free_ = free + part * gap(rank, job);
        return goes_on ? now() : free;
    }

    // The processor time of the job's message.
    Seconds gap(Rank rank, const Job& job) {
        const Task& task = program(rank).tasks[at(job.task)];
        if (task.kind == Kind::mcast || task.kind == Kind::mcast_recv) return network_.shared_gap;
        const int own = host(rank), other = host(task.peer);
        const int from = job.receive ? other : own, to = job.receive ? own : other;
        gaps_.resize(network_.hosts.size() * network_.hosts.size(), -1);
        Seconds& known = gaps_[at(from) * network_.hosts.size() + at(to)];
        if (known < 0) known = std::min(network_.shared_gap, network_.longest_gap(from, to));
        return known;
    }

    // Whether the job is a send to another host, or a receive from one.
    bool crosses(Rank rank, const Job& job) const {
        const Task& task = program(rank).tasks[at(job.task)];
        if (task.kind == Kind::mcast) return true;
        return (job.receive || task.kind == Kind::send) && host(rank) != host(task.peer);
    }

    Occupied& occupied(Rank rank, const Job& job) {
        TaskTimes& when = times(rank, job.task);
        return job.receive ? when.take : when.work;
    }

    // Whether the job could have started earlier, had the rank been idle.
    bool waited(Rank rank, const Job& job) {
        const TaskTimes& when = times(rank, job.task);
        const bool reduces = program(rank).tasks[at(job.task)].kind == Kind::reduce;
        if (job.receive) {
            const Seconds arrived = timeline_.messages[at(when.message)].arrived;
            return now() > std::max(arrived, reduces ? 0 : when.ready);
        }
        return now() > std::max(when.ready, when.take.end);
    }

    // A multicast's datagrams are handled while others are on the wire, all but one.
    Seconds of_datagram(Rank rank, const Job& job) const {
        const Task& task = program(rank).tasks[at(job.task)];
        const bool sends = task.kind == Kind::mcast;
        if (!sends && (task.kind != Kind::mcast_recv || !job.receive)) return 0;
        const int reach = transit_->reach(timeline_.tasks[at(rank)][at(job.task)].message);
        if (reach < 0) return 0;
        return sends ? network_.mcasts[at(reach)].send : network_.mcasts[at(reach)].receive;
    }

    Seconds duration(Rank rank, const Job& job) {
        if (const Seconds each = of_datagram(rank, job); each > 0) return each;
        const Bytes bytes = state(rank, job.task).bytes;
        if (job.receive) return network_.receive[at(host(rank))].of(bytes);
        switch (program(rank).tasks[at(job.task)].kind) {
            case Kind::send:
            case Kind::mcast:
                return network_.send[at(host(rank))].of(bytes);
            case Kind::copy:
                return costs_.copy * static_cast<double>(bytes);
            case Kind::native:
                ECO_CHECK(false);
                return 0;
            case Kind::recv:
            case Kind::mcast_recv:
            case Kind::reduce:
            case Kind::combine:
                return costs_.combine * static_cast<double>(bytes);
        }
        return 0;
    }

    void finish_job(Rank rank) {
        RankState& mine = ranks_[at(rank)];
        const Job job = mine.job;
        occupied(rank, job).end = now();
        mine.busy = false;
        mine.last = job;
        mine.idle_since = now();
        const Kind kind = program(rank).tasks[at(job.task)].kind;
        if (kind == Kind::send || kind == Kind::mcast) {
            transit_->post(times(rank, job.task).message, in_step(rank, job.task));
        } else if (kind == Kind::reduce && job.receive) {
            state(rank, job.task).taken = true;
            if (state(rank, job.task).waits == 0) combine(rank, job.task);
        } else {
            end(rank, job.task);
        }
        next_job(rank);
    }

    bool in_step(Rank rank, int task) {
        const int waited_for = times(rank, task).waited_for;
        return waited_for < 0 || times(rank, waited_for).message < 0 ||
               program(rank).tasks[at(waited_for)].kind == Kind::send;
    }

    void combine(Rank rank, int task) {
        if (costs_.combine > 0)
            add_job(rank, {task, false});
        else
            end(rank, task);
    }

    void end(Rank rank, int task) {
        times(rank, task).end = now();
        --open_tasks_;
        for (const auto follower : ranks_[at(rank)].followers[at(task)])
            if (--state(rank, follower).waits == 0) make_ready(rank, follower, task);
    }

    void finish() {
        for (const auto& tasks : timeline_.tasks)
            for (const TaskTimes& task : tasks) timeline_.time = std::max(timeline_.time, task.end);
        transit_->sum_up();
    }

    const Network& network_;
    const std::vector<int>& host_of_;
    const std::vector<Program>& programs_;
    const Costs costs_;
    std::vector<RankState> ranks_;
    std::int64_t open_tasks_ = 0;
    Seconds processors_free_ = 0;  // those that hosts share
    std::vector<Seconds> gaps_;    // from host to host; negative: not needed yet
    Events events_;
    Timeline timeline_;
    std::optional<Transit> transit_;  // once the messages are known
};

}  // namespace

ChunkBytes equal_chunks(Operation operation, Bytes bytes, int ranks) {
    const OperationTraits& kind = traits(operation);
    if (kind.blocks == Blocks::parts)
        return [bytes](Chunk chunk, int segments) {
            return bytes * (chunk + 1) / segments - bytes * chunk / segments;
        };
    const Bytes parts = kind.reduces() ? ranks : 1;
    return [bytes, parts](Chunk chunk, int segments) {
        const Bytes number = chunk / segments % parts, segment = chunk % segments;
        const Bytes block = bytes * (number + 1) / parts - bytes * number / parts;
        return block * (segment + 1) / segments - block * segment / segments;
    };
}

Timeline simulate(const Network& network, const std::vector<int>& host_of,
                  const std::vector<Program>& programs, const ChunkBytes& bytes,
                  const Costs& costs) {
    return Simulation(network, host_of, programs, bytes, costs).run();
}

// If every rank is a leader of some segments, messages of many connections meet on each link.
// Simulation shares links evenly; measured, such schedules took 8 to 12 % longer than others of the
// same predicted time (three-segments, 16 and 64 KiB).
constexpr double many_leaders = 1.1;

Timeline simulate(const Network& network, const std::vector<int>& host_of, const Choice& choice,
                  const Request& request, Bytes bytes, const Costs& costs,
                  std::vector<Program>* programs) {
    std::vector<Program> own;
    std::vector<Program>& all = programs ? *programs : own;
    for (Rank rank = 0; rank < request.ranks(); ++rank) all.push_back(plan(choice, request, rank));
    Timeline timeline = simulate(network.over(choice.rails), host_of, all,
                                 equal_chunks(request.operation, bytes, request.ranks()), costs);
    if (choice.rotate() == Rotate::all) timeline.stretch(many_leaders);
    return timeline;
}

}  // namespace eco
