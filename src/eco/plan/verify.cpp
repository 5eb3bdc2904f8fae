#include "eco/plan/verify.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

namespace eco {

namespace {

// Ranks whose contributions a piece of memory holds, in the order of combining.
using Value = std::vector<Rank>;
using Memory = std::map<std::pair<Place, Piece>, Value>;

struct Message {
    std::vector<Piece> pieces;
    std::vector<Value> values;
};

class Verifier {
public:
    Verifier(const Request& request, const Programs& programs)
        : request_(request), operation_(base(request.operation)), ranks_(request.ranks()) {
        for (Rank rank = 0; rank < ranks_; ++rank) programs_.push_back(programs(rank));
    }

    std::string run() {
        for (Rank rank = 0; rank < ranks_ && wrong_.empty(); ++rank) check_races(rank);
        if (wrong_.empty()) check_messages();
        if (wrong_.empty()) check_natives();
        if (wrong_.empty()) execute(false);
        if (wrong_.empty() && traits(operation_).aliases) execute(true);
        return wrong_;
    }

private:
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    template <typename... Parts>
    void fail(const Parts&... parts) {
        if (!wrong_.empty()) return;
        std::ostringstream text;
        (text << ... << parts);
        wrong_ = text.str();
    }

    int piece_count() const {
        const int segments = programs_[0].segments;
        switch (traits(operation_).blocks) {
            case Blocks::parts:
                return segments;
            case Blocks::per_rank:
                return ranks_ * segments;
            case Blocks::per_pair:
                return ranks_ * ranks_ * segments;
            case Blocks::per_multicast:
                return static_cast<int>(request_.multicasts->size()) * segments;
        }
        return 0;
    }
    int block(Piece piece) const { return piece / programs_[0].segments; }

    static bool reads(const Task& task) {
        if (task.kind == Kind::native) return task.from >= 0;
        return task.kind == Kind::send || task.kind == Kind::copy || task.kind == Kind::combine;
    }
    static bool writes(const Task& task) {
        if (task.kind == Kind::native) return task.to >= 0;
        return task.kind != Kind::send;
    }

    // Tasks that touch the same piece, one of them writing, must be ordered by waits.
    void check_races(Rank rank) {
        const Program& program = programs_[at(rank)];
        if (program.segments != programs_[0].segments) {
            fail("rank ", rank, " cuts into other segments than rank 0");
            return;
        }
        const std::size_t tasks = program.tasks.size();
        const bool has_native =
            std::any_of(program.tasks.begin(), program.tasks.end(),
                        [](const Task& task) { return task.kind == Kind::native; });
        std::vector<std::vector<bool>> before(tasks, std::vector<bool>(tasks, false));
        std::map<std::pair<Place, Piece>, std::vector<std::size_t>> users;
        for (std::size_t t = 0; t < tasks; ++t) {
            const Task& task = program.tasks[t];
            if (task.pace >= 0 && (at(task.pace) >= t || task.kind != Kind::send)) {
                fail("rank ", rank, " task ", t, " is paced by a later one, or is no send");
                return;
            }
            for (const auto wait : program.waits_of(task)) {
                if (wait < 0 || at(wait) >= t) {
                    fail("rank ", rank, " task ", t, " waits for a later one");
                    return;
                }
                before[t][at(wait)] = true;
                for (std::size_t w = 0; w < at(wait); ++w)
                    if (before[at(wait)][w]) before[t][w] = true;
            }
            for (std::size_t other = 0; has_native && other < t; ++other)
                if ((task.kind == Kind::native || program.tasks[other].kind == Kind::native) &&
                    !before[t][other])
                    fail("rank ", rank, ": tasks ", other, " and ", t,
                         ", one of them native, could be under way at once");
            for (const Piece piece : program.pieces_of(task)) {
                if (piece < 0 || piece >= piece_count()) {
                    fail("rank ", rank, " task ", t, " names piece ", piece, " of ", piece_count());
                    return;
                }
                std::set<Place> places;
                if (reads(task)) places.insert(task.from);
                if (writes(task)) places.insert(task.to);
                for (Place place : places) {
                    if (place == output && traits(operation_).aliases) place = input;
                    for (const auto other : users[{place, piece}])
                        if (other != t && !before[t][other] &&
                            conflict(program.tasks[other], task, place))
                            fail("rank ", rank, ": tasks ", other, " and ", t, " race for piece ",
                                 piece);
                    users[{place, piece}].push_back(t);
                }
            }
        }
    }

    bool conflict(const Task& a, const Task& b, Place place) const {
        const auto writes_place = [&](const Task& task) {
            if (!writes(task)) return false;
            return (task.to == output && traits(operation_).aliases ? input : task.to) == place;
        };
        return writes_place(a) || writes_place(b);
    }

    // One receive for each send, with the same pieces.
    void check_messages() {
        std::map<std::tuple<Rank, Rank, int>, std::vector<Piece>> sent;
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (const Task& task : programs_[at(rank)].tasks) {
                if (task.kind != Kind::send) continue;
                if (task.peer < 0 || task.peer >= ranks_ || task.peer == rank)
                    fail("rank ", rank, " sends to ", task.peer);
                const auto pieces = programs_[at(rank)].pieces_of(task);
                if (!sent.emplace(std::tuple{rank, task.peer, task.tag},
                                  std::vector<Piece>(pieces.begin(), pieces.end()))
                         .second)
                    fail("rank ", rank, " sends twice with tag ", task.tag, " to ", task.peer);
            }
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (const Task& task : programs_[at(rank)].tasks) {
                if (task.kind != Kind::recv && task.kind != Kind::reduce) continue;
                const auto found = sent.find({task.peer, rank, task.tag});
                if (found == sent.end()) {
                    fail("rank ", rank, " waits for message ", task.tag, " of ", task.peer,
                         ", which is never sent");
                    return;
                }
                const auto pieces = programs_[at(rank)].pieces_of(task);
                if (!std::equal(pieces.begin(), pieces.end(), found->second.begin(),
                                found->second.end()))
                    fail("ranks ", task.peer, " and ", rank, " disagree on message ", task.tag);
                sent.erase(found);
            }
        if (!sent.empty())
            fail("rank ", std::get<0>(sent.begin()->first), " sends a message to ",
                 std::get<1>(sent.begin()->first), " that is never received");
    }

    const std::vector<Rank>& group_of(Rank rank) const {
        return innermost(request_.hierarchy->top, rank).ranks;
    }

    // The same native tasks on all ranks of a group, each with the places that its part in it
    // needs.
    void check_natives() {
        for (Rank rank = 0; rank < ranks_; ++rank) {
            natives_.emplace_back();
            const auto& tasks = programs_[at(rank)].tasks;
            for (std::size_t t = 0; t < tasks.size(); ++t)
                if (tasks[t].kind == Kind::native) natives_.back().push_back(t);
        }
        for (Rank rank = 0; rank < ranks_ && wrong_.empty(); ++rank) {
            const Rank first = group_of(rank).front();
            if (natives_[at(rank)].size() != natives_[at(first)].size())
                fail("ranks ", first, " and ", rank,
                     " disagree on how many native tasks there are");
            for (std::size_t n = 0; n < natives_[at(rank)].size() && wrong_.empty(); ++n)
                check_native(rank, native(rank, n), first, native(first, n));
        }
    }

    const Task& native(Rank rank, std::size_t number) const {
        return programs_[at(rank)].tasks[natives_[at(rank)][number]];
    }

    void check_native(Rank rank, const Task& task, Rank first, const Task& other) {
        using enum Operation;
        const auto& group = group_of(rank);
        const auto pieces = programs_[at(rank)].pieces_of(task),
                   others = programs_[at(first)].pieces_of(other);
        if (group.size() < 2) fail("rank ", rank, " has a native task, but no group");
        if (std::find(group.begin(), group.end(), task.peer) == group.end())
            fail("rank ", rank, ": ", task.peer, " is the root of a native task of its group");
        if (task.part != other.part || task.peer != other.peer ||
            !std::equal(pieces.begin(), pieces.end(), others.begin(), others.end()))
            fail("ranks ", first, " and ", rank, " disagree on a native task");
        const bool is_root = task.peer == rank;
        const bool gives = task.part != bcast || is_root, gets = task.part == bcast    ? !is_root
                                                                 : task.part == reduce ? is_root
                                                                                       : true;
        if (task.part != bcast && task.part != reduce && task.part != allreduce &&
            (task.part != barrier || operation_ != barrier))
            fail("rank ", rank, " has a native task of no use here: ", traits(task.part).name);
        if (gives != (task.from >= 0) || gets != (task.to >= 0))
            fail("rank ", rank, " gives or gets too much or too little in a native ",
                 traits(task.part).name);
    }

    // When all of the group have started theirs.
    void run_native(Rank rank, std::size_t number, std::vector<Memory>& memory,
                    std::vector<std::vector<char>>& state, bool aliased) {
        auto members = group_of(rank);
        std::sort(members.begin(), members.end());
        for (const Rank member : members)
            if (state[at(member)][natives_[at(member)][number]] != 1) return;
        const Task& task = native(rank, number);
        Message result;
        for (const Rank member : members) {
            const Task& own = native(member, number);
            if (own.from < 0) continue;
            const Message given =
                take(memory[at(member)], programs_[at(member)], own, member, aliased);
            if (result.values.empty()) {
                result = given;
                continue;
            }
            for (std::size_t i = 0; i < given.values.size(); ++i) {
                Value& value = result.values[i];
                value = combined(value, given.values[i], false);
                if (task.part != Operation::barrier) continue;
                std::sort(value.begin(), value.end());
                value.erase(std::unique(value.begin(), value.end()), value.end());
            }
        }
        for (const Rank member : members) {
            const Task& own = native(member, number);
            if (own.to >= 0) put(memory[at(member)], result, own, member, aliased);
            state[at(member)][natives_[at(member)][number]] = 2;
        }
    }

    Memory initial(Rank rank, bool aliased) const {
        Memory memory;
        const auto fill = [&](Piece piece) {
            memory[{input, piece}] = {rank};
            if (aliased) memory[{output, piece}] = {rank};
        };
        const bool starts = !traits(operation_).rooted || traits(operation_).reduces ||
                            operation_ == Operation::gather || rank == request_.root;
        for (Piece piece = 0; starts && piece < piece_count(); ++piece) {
            const int owner =
                operation_ == Operation::alltoall ? block(piece) / ranks_ : block(piece);
            if (operation_ == Operation::multicast) {
                if (multicast_of(piece).source == rank) fill(piece);
                continue;
            }
            const bool own_only = operation_ == Operation::gather ||
                                  operation_ == Operation::allgather ||
                                  operation_ == Operation::alltoall;
            if (!own_only || owner == rank) fill(piece);
        }
        return memory;
    }

    const Multicast& multicast_of(Piece piece) const {
        return (*request_.multicasts)[at(block(piece))];
    }

    // What must be in a rank's output; nothing where the collective leaves it undefined.
    std::optional<Value> wanted(Rank rank, Piece piece) const {
        Value all(at(ranks_));
        std::iota(all.begin(), all.end(), 0);
        switch (operation_) {
            case Operation::bcast:
                return rank == request_.root ? std::nullopt : std::optional(Value{request_.root});
            case Operation::scatter:
                return block(piece) == rank ? std::optional(Value{request_.root}) : std::nullopt;
            case Operation::gather:
                return rank == request_.root ? std::optional(Value{block(piece)}) : std::nullopt;
            case Operation::allgather:
                return Value{block(piece)};
            case Operation::alltoall:
                return block(piece) % ranks_ == rank ? std::optional(Value{block(piece) / ranks_})
                                                     : std::nullopt;
            case Operation::reduce:
                return rank == request_.root ? std::optional(all) : std::nullopt;
            case Operation::reduce_scatter:
                return block(piece) == rank ? std::optional(all) : std::nullopt;
            case Operation::multicast: {
                const Multicast& one = multicast_of(piece);
                const bool to_it = std::find(one.destinations.begin(), one.destinations.end(),
                                             rank) != one.destinations.end();
                return to_it ? std::optional(Value{one.source}) : std::nullopt;
            }
            case Operation::scan:
                return Value(all.begin(), all.begin() + rank + 1);
            case Operation::exscan:
                return rank == 0 ? std::nullopt
                                 : std::optional(Value(all.begin(), all.begin() + rank));
            default:
                return all;
        }
    }

    Value combined(const Value& here, const Value& other, bool earlier) const {
        Value value = earlier ? other : here;
        const Value& second = earlier ? here : other;
        value.insert(value.end(), second.begin(), second.end());
        return value;
    }

    // Rendezvous: a send is done only when its receiver has started to receive.
    void execute(bool aliased) {
        std::vector<Memory> memory;
        std::vector<std::vector<char>> state;  // 0 waiting, 1 started, 2 done
        std::map<std::tuple<Rank, Rank, int>, Message> sent;
        for (Rank rank = 0; rank < ranks_; ++rank) {
            memory.push_back(initial(rank, aliased));
            state.emplace_back(programs_[at(rank)].tasks.size(), 0);
        }
        std::map<std::tuple<Rank, Rank, int>, std::pair<Rank, std::size_t>> senders;
        bool moved = true;
        while (moved && wrong_.empty()) {
            moved = false;
            for (Rank rank = 0; rank < ranks_; ++rank) {
                const Program& program = programs_[at(rank)];
                for (std::size_t t = 0; t < program.tasks.size(); ++t) {
                    if (state[at(rank)][t] != 0) continue;
                    const Task& task = program.tasks[t];
                    const auto waits = program.waits_of(task);
                    const auto done = [&](int w) { return state[at(rank)][at(w)] == 2; };
                    if (!std::all_of(waits.begin(), waits.end(), done)) continue;
                    if (task.pace >= 0 && !done(task.pace)) continue;
                    if (task.kind == Kind::native) {
                        state[at(rank)][t] = 1;
                        const auto& own = natives_[at(rank)];
                        const auto number = std::find(own.begin(), own.end(), t) - own.begin();
                        run_native(rank, static_cast<std::size_t>(number), memory, state, aliased);
                        moved = true;
                    } else if (task.kind == Kind::send) {
                        sent[{rank, task.peer, task.tag}] =
                            take(memory[at(rank)], program, task, rank, aliased);
                        senders[{rank, task.peer, task.tag}] = {rank, t};
                        state[at(rank)][t] = 1;
                        moved = true;
                    } else if (task.kind == Kind::copy || task.kind == Kind::combine) {
                        put(memory[at(rank)], take(memory[at(rank)], program, task, rank, aliased),
                            task, rank, aliased);
                        state[at(rank)][t] = 2;
                        moved = true;
                    } else if (const auto found = sent.find({task.peer, rank, task.tag});
                               found != sent.end()) {
                        put(memory[at(rank)], found->second, task, rank, aliased);
                        const auto [sender, send_task] = senders[found->first];
                        state[at(sender)][send_task] = 2;
                        state[at(rank)][t] = 2;
                        moved = true;
                    }
                }
            }
        }
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (std::size_t t = 0; t < state[at(rank)].size(); ++t)
                if (state[at(rank)][t] != 2)
                    fail("deadlock: rank ", rank, " task ", t, " never ends");
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (Piece piece = 0; piece < piece_count(); ++piece) {
                const auto want = wanted(rank, piece);
                if (!want) continue;
                auto value = lookup(memory[at(rank)], output, piece, aliased);
                if (!value) {
                    fail("rank ", rank, " never gets piece ", piece);
                    continue;
                }
                if (request_.commutative || operation_ == Operation::barrier)
                    std::sort(value->begin(), value->end());
                if (*value != *want)
                    fail("rank ", rank, " piece ", piece, " ends with ", list(*value),
                         " instead of ", list(*want));
            }
    }

    static Place actual(Place place, bool aliased) {
        return aliased && place == output ? input : place;
    }

    static std::optional<Value> lookup(const Memory& memory, Place place, Piece piece,
                                       bool aliased) {
        const auto found = memory.find({actual(place, aliased), piece});
        return found == memory.end() ? std::nullopt : std::optional(found->second);
    }

    Message take(const Memory& memory, const Program& program, const Task& task, Rank rank,
                 bool aliased) {
        Message message;
        for (const Piece piece : program.pieces_of(task)) {
            const auto value = lookup(memory, task.from, piece, aliased);
            if (!value)
                fail("rank ", rank, " reads piece ", piece, " of place ", task.from,
                     " before it is there");
            message.pieces.push_back(piece);
            message.values.push_back(value.value_or(Value{}));
        }
        return message;
    }

    void put(Memory& memory, const Message& message, const Task& task, Rank rank, bool aliased) {
        const bool combines = task.kind == Kind::reduce || task.kind == Kind::combine;
        for (std::size_t i = 0; i < message.pieces.size(); ++i) {
            if (task.to == input) fail("rank ", rank, " writes into its input");
            const auto key = std::pair{actual(task.to, aliased), message.pieces[i]};
            if (!combines) {
                memory[key] = message.values[i];
                continue;
            }
            const auto here = memory.find(key);
            if (here == memory.end())
                fail("rank ", rank, " combines with nothing");
            else
                here->second = combined(here->second, message.values[i], task.earlier);
        }
    }

    static std::string list(const Value& value) {
        std::string text = "{";
        for (const Rank rank : value) text += (text.size() > 1 ? " " : "") + std::to_string(rank);
        return text + "}";
    }

    const Request& request_;
    Operation operation_;
    int ranks_;
    std::vector<Program> programs_;
    std::vector<std::vector<std::size_t>> natives_;  // per rank, the tasks in order
    std::string wrong_;
};

}  // namespace

std::string verify(const Request& request, const Programs& programs) {
    return Verifier(request, programs).run();
}

}  // namespace eco
