// SPDX-License-Identifier: BSD-3-Clause
#include "eco/schedule/verify.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "eco/base/at.h"
#include "eco/schedule/check_form.h"
#include "eco/schedule/first_complaint.h"

namespace eco {

namespace {

// How values were combined: each pair of operands, in order, has a number; a rank's own has the
// rank's.
class Expressions {
public:
    explicit Expressions(int ranks) : ranks_(ranks) {}

    int of(int left, int right) {
        const auto [found, fresh] =
            numbers_.emplace(std::pair{left, right}, ranks_ + static_cast<int>(operands_.size()));
        if (fresh) operands_.push_back(found->first);
        return found->second;
    }
    // "((0 1) 2)"
    std::string text(int expression) const {
        if (expression < ranks_) return std::to_string(expression);
        const auto [left, right] = operands_[at(expression - ranks_)];
        return "(" + text(left) + " " + text(right) + ")";
    }

private:
    int ranks_;
    std::vector<std::pair<int, int>> operands_;
    std::map<std::pair<int, int>, int> numbers_;
};

// What a chunk of memory holds: the ranks whose contributions it has, in the order of combining,
// and how they were combined.
struct Value {
    std::vector<Rank> ranks;
    int expression = 0;
};
using Memory = std::map<std::pair<Buffer, Chunk>, Value>;

struct Message {
    std::vector<Chunk> chunks;
    std::vector<Value> values;
};

class SymbolicRun : FirstComplaint {
public:
    explicit SymbolicRun(const AllPrograms& all)
        : all_(all),
          request_(all.request),
          operation_(all.operation),
          ranks_(all.ranks()),
          expressions_(ranks_) {}

    // aliased: input and output are the same memory.
    std::string run(bool aliased) {
        execute(aliased);
        return wrong();
    }

private:
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
                auto& ranks = value.ranks;
                std::sort(ranks.begin(), ranks.end());
                ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
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
        for (Chunk chunk = 0; chunk < all_.chunks(); ++chunk)
            if (begins_with(rank, chunk)) {
                memory[{input, chunk}] = {{rank}, rank};
                if (aliased) memory[{output, chunk}] = {{rank}, rank};
            }
        return memory;
    }

    bool begins_with(Rank rank, Chunk chunk) const {
        switch (traits(operation_).begins) {
            case Begins::root:
                return rank == request_.root;
            case Begins::own:
                return source_of(chunk) == rank;
            case Begins::summand:
            case Begins::arrival:
                return true;
            case Begins::listed:
                return multicast_of(chunk).source == rank;
        }
        return false;
    }

    // Of a block of one rank's, or for one rank of one rank's.
    Rank source_of(Chunk chunk) const {
        const bool pairs = traits(operation_).blocks == Blocks::per_pair;
        return pairs ? all_.block(chunk) / ranks_ : all_.block(chunk);
    }
    Rank destination_of(Chunk chunk) const { return all_.block(chunk) % ranks_; }

    const Multicast& multicast_of(Chunk chunk) const {
        return (*request_.multicasts)[at(all_.block(chunk))];
    }

    // What must be in a rank's output; nothing if the collective leaves it undefined.
    std::optional<std::vector<Rank>> wanted(Rank rank, Chunk chunk) const {
        bool has = false;
        int first_outside = ranks_;
        switch (traits(operation_).ends) {
            case Ends::all:
                has = true;
                break;
            case Ends::root:
                has = rank == request_.root;
                break;
            case Ends::others:
                has = rank != request_.root;
                break;
            case Ends::own:
                has = destination_of(chunk) == rank;
                break;
            case Ends::up_to_own:
                has = true;
                first_outside = rank + 1;
                break;
            case Ends::before_own:
                has = rank > 0;
                first_outside = rank;
                break;
            case Ends::listed: {
                const auto& to = multicast_of(chunk).destinations;
                has = std::find(to.begin(), to.end(), rank) != to.end();
                break;
            }
        }
        if (!has) return std::nullopt;
        switch (traits(operation_).begins) {
            case Begins::root:
                return std::vector<Rank>{request_.root};
            case Begins::own:
                return std::vector<Rank>{source_of(chunk)};
            case Begins::listed:
                return std::vector<Rank>{multicast_of(chunk).source};
            case Begins::summand:
            case Begins::arrival:
                break;
        }
        std::vector<Rank> sum(at(first_outside));
        std::iota(sum.begin(), sum.end(), 0);
        return sum;
    }

    Value combined(const Value& here, const Value& other, bool earlier) {
        Value value = earlier ? other : here;
        const Value& second = earlier ? here : other;
        value.ranks.insert(value.ranks.end(), second.ranks.begin(), second.ranks.end());
        value.expression = expressions_.of(value.expression, second.expression);
        return value;
    }

    // Rendezvous: a send is done only when its receiver has started to receive.
    void execute(bool aliased) {
        std::vector<Memory> memory;
        std::vector<std::vector<char>> state;  // 0 waiting, 1 started, 2 done
        std::map<std::tuple<Rank, Rank, int>, Message> sent, mcasts;
        // Its index, and how many receivers have not got it.
        std::map<std::pair<Rank, int>, std::pair<std::size_t, std::size_t>> mcast_tasks;
        for (Rank rank = 0; rank < ranks_; ++rank) {
            memory.push_back(initial(rank, aliased));
            state.emplace_back(all_.of[at(rank)].tasks.size(), 0);
        }
        std::map<std::tuple<Rank, Rank, int>, std::pair<Rank, std::size_t>> senders;
        bool moved = true;
        while (moved && wrong().empty()) {
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
                    } else if (task.kind == Kind::mcast) {
                        for (const Rank to : program.receivers_of(task))
                            mcasts[{rank, to, task.tag}] =
                                take(memory[at(rank)], program, task, rank, aliased);
                        mcast_tasks[{rank, task.tag}] = {t, program.receivers_of(task).size()};
                        state[at(rank)][t] = 1;
                        moved = true;
                    } else if (task.kind == Kind::mcast_recv) {
                        const auto found = mcasts.find({task.peer, rank, task.tag});
                        if (found == mcasts.end()) continue;
                        put(memory[at(rank)], found->second, task, rank, aliased);
                        state[at(rank)][t] = 2;
                        // Done when all its receivers have it.
                        auto& [send_task, missing] = mcast_tasks[{task.peer, task.tag}];
                        if (--missing == 0) state[at(task.peer)][send_task] = 2;
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
        check_results(memory, aliased);
    }

    void check_results(const std::vector<Memory>& memory, bool aliased) {
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (Chunk chunk = 0; chunk < all_.chunks(); ++chunk) {
                const auto want = wanted(rank, chunk);
                if (!want) continue;
                auto value = lookup(memory[at(rank)], output, chunk, aliased);
                if (!value) {
                    fail("rank ", rank, " never gets chunk ", chunk);
                    continue;
                }
                if (request_.commutative || operation_ == Operation::barrier)
                    std::sort(value->ranks.begin(), value->ranks.end());
                if (value->ranks != *want)
                    fail("rank ", rank, " chunk ", chunk, " ends with ", list(value->ranks),
                         " instead of ", list(*want));
                if (gives_all_one_sum()) check_same_sum(memory, rank, chunk, *value, aliased);
            }
    }

    // MPI 4.1, 6.9.6: then all must have the same bits, whatever the operator.
    bool gives_all_one_sum() const {
        return traits(operation_).reduces() && traits(operation_).ends == Ends::all;
    }
    void check_same_sum(const std::vector<Memory>& memory, Rank rank, Chunk chunk,
                        const Value& value, bool aliased) {
        const auto first = lookup(memory.front(), output, chunk, aliased);
        if (first && first->expression != value.expression)
            fail("ranks 0 and ", rank, " combine chunk ", chunk,
                 " in different ways: ", expressions_.text(first->expression), " and ",
                 expressions_.text(value.expression));
    }

    static Buffer actual(Buffer buffer, bool aliased) {
        return aliased && buffer == output ? input : buffer;
    }

    static std::optional<Value> lookup(const Memory& memory, Buffer buffer, Chunk chunk,
                                       bool aliased) {
        const auto found = memory.find({actual(buffer, aliased), chunk});
        return found == memory.end() ? std::nullopt : std::optional(found->second);
    }

    Message take(const Memory& memory, const Program& program, const Task& task, Rank rank,
                 bool aliased) {
        Message message;
        for (const Chunk chunk : program.chunks_of(task)) {
            const auto value = lookup(memory, task.from, chunk, aliased);
            if (!value)
                fail("rank ", rank, " reads chunk ", chunk, " of buffer ", task.from,
                     " before it is there");
            message.chunks.push_back(chunk);
            message.values.push_back(value.value_or(Value{}));
        }
        return message;
    }

    void put(Memory& memory, const Message& message, const Task& task, Rank rank, bool aliased) {
        const bool combines = task.kind == Kind::reduce || task.kind == Kind::combine;
        for (std::size_t i = 0; i < message.chunks.size(); ++i) {
            if (task.to == input) fail("rank ", rank, " writes into its input");
            const auto key = std::pair{actual(task.to, aliased), message.chunks[i]};
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

    static std::string list(const std::vector<Rank>& ranks) {
        std::string text = "{";
        for (const Rank rank : ranks) text += (text.size() > 1 ? " " : "") + std::to_string(rank);
        return text + "}";
    }

    const AllPrograms& all_;
    const Request& request_;
    Operation operation_;
    int ranks_;
    Expressions expressions_;
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
