#include "eco/plan/verify.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <tuple>

#include "eco/plan/check_form.h"

namespace eco {

namespace {

// Ranks whose contributions a piece of memory holds, in the order of combining.
using Value = std::vector<Rank>;
using Memory = std::map<std::pair<Place, Piece>, Value>;

struct Message {
    std::vector<Piece> pieces;
    std::vector<Value> values;
};

class SymbolicRun {
public:
    explicit SymbolicRun(const AllPrograms& all)
        : all_(all), request_(all.request), operation_(all.operation), ranks_(all.ranks()) {}

    // aliased: input and output are the same memory.
    std::string run(bool aliased) {
        execute(aliased);
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

    // When all of the group have started theirs.
    void run_native(Rank rank, std::size_t number, std::vector<Memory>& memory,
                    std::vector<std::vector<char>>& state, bool aliased) {
        auto members = all_.group_of(rank);
        std::sort(members.begin(), members.end());
        for (const Rank member : members)
            if (state[at(member)][all_.natives[at(member)][number]] != 1) return;
        const Task& task = all_.native(rank, number);
        Message result;
        for (const Rank member : members) {
            const Task& own = all_.native(member, number);
            if (own.from < 0) continue;
            const Message given =
                take(memory[at(member)], all_.of[at(member)], own, member, aliased);
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
            const Task& own = all_.native(member, number);
            if (own.to >= 0) put(memory[at(member)], result, own, member, aliased);
            state[at(member)][all_.natives[at(member)][number]] = 2;
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
        for (Piece piece = 0; starts && piece < all_.pieces(); ++piece) {
            const int owner =
                operation_ == Operation::alltoall ? all_.block(piece) / ranks_ : all_.block(piece);
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
        return (*request_.multicasts)[at(all_.block(piece))];
    }

    // What must be in a rank's output; nothing where the collective leaves it undefined.
    std::optional<Value> wanted(Rank rank, Piece piece) const {
        Value all(at(ranks_));
        std::iota(all.begin(), all.end(), 0);
        switch (operation_) {
            case Operation::bcast:
                return rank == request_.root ? std::nullopt : std::optional(Value{request_.root});
            case Operation::scatter:
                return all_.block(piece) == rank ? std::optional(Value{request_.root})
                                                 : std::nullopt;
            case Operation::gather:
                return rank == request_.root ? std::optional(Value{all_.block(piece)})
                                             : std::nullopt;
            case Operation::allgather:
                return Value{all_.block(piece)};
            case Operation::alltoall:
                return all_.block(piece) % ranks_ == rank
                           ? std::optional(Value{all_.block(piece) / ranks_})
                           : std::nullopt;
            case Operation::reduce:
                return rank == request_.root ? std::optional(all) : std::nullopt;
            case Operation::reduce_scatter:
                return all_.block(piece) == rank ? std::optional(all) : std::nullopt;
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
            state.emplace_back(all_.of[at(rank)].tasks.size(), 0);
        }
        std::map<std::tuple<Rank, Rank, int>, std::pair<Rank, std::size_t>> senders;
        bool moved = true;
        while (moved && wrong_.empty()) {
            moved = false;
            for (Rank rank = 0; rank < ranks_; ++rank) {
                const Program& program = all_.of[at(rank)];
                for (std::size_t t = 0; t < program.tasks.size(); ++t) {
                    if (state[at(rank)][t] != 0) continue;
                    const Task& task = program.tasks[t];
                    const auto waits = program.waits_of(task);
                    const auto done = [&](int w) { return state[at(rank)][at(w)] == 2; };
                    if (!std::all_of(waits.begin(), waits.end(), done)) continue;
                    if (task.pace >= 0 && !done(task.pace)) continue;
                    if (task.kind == Kind::native) {
                        state[at(rank)][t] = 1;
                        const auto& own = all_.natives[at(rank)];
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
            for (Piece piece = 0; piece < all_.pieces(); ++piece) {
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

    const AllPrograms& all_;
    const Request& request_;
    Operation operation_;
    int ranks_;
    std::string wrong_;
};

}  // namespace

std::string verify(const Request& request, const Programs& programs) {
    const AllPrograms all(request, programs);
    std::string wrong = check_form(all);
    if (wrong.empty()) wrong = SymbolicRun(all).run(false);
    if (wrong.empty() && traits(all.operation).aliases) wrong = SymbolicRun(all).run(true);
    return wrong;
}

}  // namespace eco
