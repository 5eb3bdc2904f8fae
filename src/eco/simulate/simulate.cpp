#include "eco/simulate/simulate.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <tuple>

#include "eco/base/check.h"
#include "eco/simulate/fluid.h"

namespace eco {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

class Simulation {
public:
    Simulation(const Network& network, const std::vector<int>& host_of,
               const std::vector<Program>& programs, const PieceBytes& bytes, const Costs& costs)
        : network_(network),
          host_of_(host_of),
          programs_(programs),
          costs_(costs),
          fluid_(rates(network)),
          ranks_(programs.size()),
          ports_(network.hosts.size()) {
        ECO_CHECK(host_of.size() == programs.size());
        timeline_.links.resize(network.links.size());
        for (Rank rank = 0; rank < count(); ++rank) prepare(rank, bytes);
        match();
    }

    Timeline run() {
        for (Rank rank = 0; rank < count(); ++rank)
            for (int task = 0; task < static_cast<int>(program(rank).tasks.size()); ++task)
                if (state(rank, task).waits == 0) make_ready(rank, task, -1);
        while (true) {
            // Everything at this instant, before rates are settled once.
            while (!events_.empty() && events_.top().time <= now_) {
                const Event event = events_.top();
                events_.pop();
                handle(event);
            }
            fluid_.settle(now_);
            const Seconds end = fluid_.next_end();
            const Seconds event = events_.empty() ? never : events_.top().time;
            if (std::min(end, event) == never) break;
            if (end <= event) {
                now_ = std::max(now_, end);
                for (const int message : fluid_.ended(now_)) left(message);
            } else {
                now_ = event;
            }
        }
        ECO_CHECK(open_tasks_ == 0);  // else: a deadlock, which verify() would have found
        finish();
        return std::move(timeline_);
    }

private:
    static constexpr Seconds never = std::numeric_limits<double>::infinity();

    struct Event {
        enum class What { idle, arrival, resume };
        Seconds time;
        std::int64_t order;  // of making: equal times are handled in it
        What what;
        int number;  // a rank, a message
        bool operator>(const Event& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
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
    };
    // Round by round: what was sent in one is acknowledged a round trip after it began.
    struct Flight {
        Seconds round_trip = 0;  // 0: never waits
        double window = 0;       // wire bytes of this round
        double room = 0;         // left of them
        Seconds began = -never;
    };
    struct Pair {
        int way = -1;
        Flight flight;
        Seconds arrived = 0;  // the last one
        int last = -1;        // the last that began to flow
        bool flowing = false;
        std::deque<int> waiting;
        std::vector<int> route;
    };

    // Where a host's frames leave, one after the other.
    struct Port {
        Seconds free = 0;
        int last = -1;  // the message that has it until then
    };

    // By route and cap: flows that share both are alike.
    using Ways = std::map<std::pair<std::vector<int>, double>, int>;

    static std::vector<double> rates(const Network& network) {
        std::vector<double> list;
        for (const Link& link : network.links) list.push_back(link.rate);
        return list;
    }

    Rank count() const { return static_cast<Rank>(programs_.size()); }
    const Program& program(Rank rank) const { return programs_[at(rank)]; }
    TaskState& state(Rank rank, int task) { return ranks_[at(rank)].tasks[at(task)]; }
    TaskTimes& times(Rank rank, int task) { return timeline_.tasks[at(rank)][at(task)]; }
    int host(Rank rank) const { return host_of_[at(rank)]; }

    void prepare(Rank rank, const PieceBytes& bytes) {
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
            for (const Piece piece : mine.pieces_of(task))
                state.tasks[t].bytes += bytes(piece, mine.segments);
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
        std::vector<End> sends, receives;
        for (Rank rank = 0; rank < count(); ++rank)
            for (int t = 0; t < static_cast<int>(program(rank).tasks.size()); ++t) {
                const Task& task = program(rank).tasks[at(t)];
                if (task.kind == Kind::send)
                    sends.push_back({rank, task.peer, task.tag, t});
                else if (task.kind == Kind::recv || task.kind == Kind::reduce)
                    receives.push_back({task.peer, rank, task.tag, t});
            }
        const auto by_key = [](const End& a, const End& b) { return a.key() < b.key(); };
        std::sort(sends.begin(), sends.end(), by_key);
        std::sort(receives.begin(), receives.end(), by_key);
        ECO_CHECK(sends.size() == receives.size());
        timeline_.messages.resize(sends.size());
        unsent_.resize(sends.size());
        pair_of_.resize(sends.size());
        Ways ways;
        for (std::size_t m = 0; m < sends.size(); ++m) {
            ECO_CHECK(sends[m].key() == receives[m].key());
            MessageTimes& message = timeline_.messages[m];
            message.from = sends[m].from;
            message.to = sends[m].to;
            message.send = sends[m].task;
            message.receive = receives[m].task;
            message.bytes = state(message.from, message.send).bytes;
            times(message.from, message.send).message = static_cast<int>(m);
            times(message.to, message.receive).message = static_cast<int>(m);
            const bool fresh =
                m == 0 || sends[m].from != sends[m - 1].from || sends[m].to != sends[m - 1].to;
            if (fresh) pairs_.push_back(make_pair(message.from, message.to, ways));
            pair_of_[m] = static_cast<int>(pairs_.size()) - 1;
        }
    }

    Pair make_pair(Rank from, Rank to, Ways& ways) {
        Pair pair;
        pair.route = network_.route(host(from), host(to));
        const int a = host(from), b = host(to);
        double cap = network_.cap[at(a)][at(b)];
        if (a == b) cap = network_.local.per_byte > 0 ? 1 / network_.local.per_byte : 0;
        if (pair.route.empty() && cap <= 0) return pair;
        const auto [found, fresh] = ways.emplace(std::pair{pair.route, cap}, -1);
        if (fresh) found->second = fluid_.add_way(pair.route, cap > 0 ? cap : never);
        pair.way = found->second;
        const Seconds round_trip = network_.fixed[at(a)][at(b)] + network_.fixed[at(b)][at(a)];
        const double flight = network_.wire(network_.first_flight);
        if (network_.first_flight > 0 && round_trip * network_.rate(a, b, pair.route) > flight)
            pair.flight = {round_trip, flight / 2, 0, -never};
        return pair;
    }

    void at_time(Seconds time, Event::What what, int number) {
        events_.push({time, order_++, what, number});
    }

    void handle(const Event& event) {
        if (event.what == Event::What::arrival) {
            const MessageTimes& message = timeline_.messages[at(event.number)];
            state(message.to, message.receive).arrived = true;
            take_in(message.to, message.receive);
        } else if (event.what == Event::What::resume) {
            send_some(event.number);
        } else {
            finish_job(event.number);
        }
    }

    void make_ready(Rank rank, int task, int waited_for) {
        times(rank, task).ready = now_;
        times(rank, task).waited_for = waited_for;
        const Kind kind = program(rank).tasks[at(task)].kind;
        if (kind == Kind::recv)
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
        when.start = now_;
        if (mine.last.task >= 0 && mine.idle_since == now_ && waited(rank, mine.job)) {
            when.before = mine.last.task;
            when.before_takes = mine.last.receive;
        }
        at_time(now_ + duration(rank, mine.job), Event::What::idle, rank);
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
            return now_ > std::max(arrived, reduces ? 0 : when.ready);
        }
        return now_ > std::max(when.ready, when.take.end);
    }

    Seconds duration(Rank rank, const Job& job) {
        const Bytes bytes = state(rank, job.task).bytes;
        if (job.receive) return network_.receive[at(host(rank))].of(bytes);
        switch (program(rank).tasks[at(job.task)].kind) {
            case Kind::send:
                return network_.send[at(host(rank))].of(bytes);
            case Kind::copy:
                return costs_.copy * static_cast<double>(bytes);
            case Kind::native:
                ECO_CHECK(false);
                return 0;
            default:
                return costs_.combine * static_cast<double>(bytes);
        }
    }

    void finish_job(Rank rank) {
        RankState& mine = ranks_[at(rank)];
        const Job job = mine.job;
        occupied(rank, job).end = now_;
        mine.busy = false;
        mine.last = job;
        mine.idle_since = now_;
        const Kind kind = program(rank).tasks[at(job.task)].kind;
        if (kind == Kind::send) {
            post(times(rank, job.task).message);
        } else if (kind == Kind::reduce && job.receive) {
            state(rank, job.task).taken = true;
            if (state(rank, job.task).waits == 0) combine(rank, job.task);
        } else {
            end(rank, job.task);
        }
        next_job(rank);
    }

    void combine(Rank rank, int task) {
        if (costs_.combine > 0)
            add_job(rank, {task, false});
        else
            end(rank, task);
    }

    void end(Rank rank, int task) {
        times(rank, task).end = now_;
        --open_tasks_;
        for (const auto follower : ranks_[at(rank)].followers[at(task)])
            if (--state(rank, follower).waits == 0) make_ready(rank, follower, task);
    }

    void post(int number) {
        timeline_.messages[at(number)].posted = now_;
        Pair& pair = pairs_[at(pair_of_[at(number)])];
        if (network_.ordered && pair.flowing)
            pair.waiting.push_back(number);
        else
            flow(number, pair);
    }

    void flow(int number, Pair& pair) {
        MessageTimes& message = timeline_.messages[at(number)];
        message.start = now_;
        if (now_ > message.posted) message.before = pair.last;
        pair.last = number;
        pair.flowing = true;
        if (pair.way < 0) {  // nothing is known to limit it
            left(number);
            return;
        }
        const bool inside = host(message.from) == host(message.to);
        const double bytes =
            inside ? static_cast<double>(message.bytes) : network_.wire(message.bytes);
        for (const int link : pair.route) timeline_.links[at(link)].bytes += bytes;
        unsent_[at(number)] = std::max(bytes, 1e-9);
        if (network_.ordered && message.bytes <= network_.frame.payload && !pair.route.empty())
            queue(number, network_.links[at(pair.route.front())].rate);
        if (message.start > now_)
            at_time(message.start, Event::What::resume, number);
        else
            send_some(number);
    }

    // A single frame goes whole: it begins when those of its host before it are on the wire. Longer
    // messages to several ranks go in turns, a frame of each, which sharing the wire stands for.
    void queue(int number, double rate) {
        MessageTimes& message = timeline_.messages[at(number)];
        Port& port = ports_[at(host(message.from))];
        if (port.free > now_) {
            message.start = port.free;
            message.before = port.last;
        }
        port = {message.start + unsent_[at(number)] / rate, number};
    }

    // All of the message that is not sent yet, or as much as may go before an acknowledgement.
    void send_some(int number) {
        Pair& pair = pairs_[at(pair_of_[at(number)])];
        Flight& flight = pair.flight;
        double& unsent = unsent_[at(number)];
        double part = unsent;
        if (flight.round_trip > 0) {
            const Seconds acknowledged = flight.began + flight.round_trip;
            if (now_ >= acknowledged) {
                if (flight.room <= 0) flight.window *= 2;
                flight.room = flight.window;
                flight.began = now_;
            } else if (flight.room <= 0) {
                at_time(acknowledged, Event::What::resume, number);
                return;
            }
            part = std::min(unsent, flight.room);
            flight.room -= part;
        }
        unsent -= part;
        fluid_.start(number, pair.way, part, now_);
    }

    void left(int number) {
        MessageTimes& message = timeline_.messages[at(number)];
        Pair& pair = pairs_[at(pair_of_[at(number)])];
        if (unsent_[at(number)] > 0) return send_some(number);
        message.left = now_;
        arrive(number, pair);
        pair.flowing = false;
        if (!pair.waiting.empty()) {
            const int next = pair.waiting.front();
            pair.waiting.pop_front();
            flow(next, pair);
        }
        end(message.from, message.send);
    }

    void arrive(int number, Pair& pair) {
        MessageTimes& message = timeline_.messages[at(number)];
        message.arrived =
            now_ + network_.delay(host(message.from), host(message.to), pair.route, message.bytes);
        if (network_.ordered) message.arrived = std::max(message.arrived, pair.arrived);
        pair.arrived = message.arrived;
        at_time(message.arrived, Event::What::arrival, number);
    }

    void finish() {
        for (const auto& tasks : timeline_.tasks)
            for (const TaskTimes& task : tasks) timeline_.time = std::max(timeline_.time, task.end);
        for (std::size_t link = 0; link < timeline_.links.size(); ++link) {
            LinkTimes& times = timeline_.links[link];
            times.busy = fluid_.busy()[link];
            if (timeline_.time > 0)
                times.share = times.bytes / network_.links[link].rate / timeline_.time;
        }
    }

    const Network& network_;
    const std::vector<int>& host_of_;
    const std::vector<Program>& programs_;
    const Costs costs_;
    Fluid fluid_;
    std::vector<RankState> ranks_;
    std::vector<Port> ports_;  // per host
    std::vector<Pair> pairs_;
    std::vector<int> pair_of_;    // per message
    std::vector<double> unsent_;  // per message, wire bytes
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::int64_t order_ = 0, open_tasks_ = 0;
    Seconds now_ = 0;
    Timeline timeline_;
};

}  // namespace

PieceBytes equal_pieces(Operation operation, Bytes bytes, int ranks) {
    const OperationTraits& kind = traits(operation);
    if (kind.blocks == Blocks::parts)
        return [bytes](Piece piece, int segments) {
            return bytes * (piece + 1) / segments - bytes * piece / segments;
        };
    const Bytes parts = kind.reduces ? ranks : 1;
    return [bytes, parts](Piece piece, int segments) {
        const Bytes number = piece / segments % parts, segment = piece % segments;
        const Bytes block = bytes * (number + 1) / parts - bytes * number / parts;
        return block * (segment + 1) / segments - block * segment / segments;
    };
}

Timeline simulate(const Network& network, const std::vector<int>& host_of,
                  const std::vector<Program>& programs, const PieceBytes& bytes,
                  const Costs& costs) {
    return Simulation(network, host_of, programs, bytes, costs).run();
}

Timeline simulate(const Network& network, const std::vector<int>& host_of, const Choice& choice,
                  const Request& request, Bytes bytes, const Costs& costs) {
    std::vector<Program> programs;
    for (Rank rank = 0; rank < request.ranks(); ++rank)
        programs.push_back(plan(choice, request, rank));
    return simulate(network.over(choice.rails), host_of, programs,
                    equal_pieces(request.operation, bytes, request.ranks()), costs);
}

}  // namespace eco
