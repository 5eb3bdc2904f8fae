// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a schedule: tasks, each with buffers and chunks, a peer and the tasks that it
// waits for. Planners write programs through Builder; verify.h checks them; run/ executes them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "eco/base/units.h"
#include "eco/schedule/collective.h"
#include "eco/schedule/uses.h"

namespace eco {

// Which memory: the program's input, its output, or one of ECO's own banks. A bank has room for
// every chunk once.
using Buffer = std::int32_t;
inline constexpr Buffer input = 0, output = 1;
inline constexpr Buffer scratch(int bank = 0) { return 2 + bank; }

using Chunk = std::int32_t;  // of a message; see Program::segments

enum class Kind : std::uint8_t {
    send,        // chunks of `from` to peer
    recv,        // chunks from peer into `to`
    reduce,      // chunks from peer, combined with `to`
    copy,        // `from` to `to`, same rank
    combine,     // `from` combined with `to`, same rank
    native,      // a collective of the library's own, in the rank's innermost group; see Builder
    mcast,       // chunks of `from` to several ranks at once, by IP multicast
    mcast_recv,  // chunks that peer sends so into `to`
};

struct Task {
    Kind kind;
    // reduce, combine: `to` becomes what comes ∘ `to`, else `to` ∘ what comes; see Builder.
    bool earlier;
    Buffer from, to;
    Rank peer;
    // Numbers the messages from one rank to another; mcast: those from one rank to several.
    std::int32_t tag;
    std::int32_t first_chunk, end_chunk;
    std::int32_t first_wait, end_wait;
    Operation part = Operation::barrier;  // native: which collective
    std::int32_t pace = -1;  // send: an earlier task that it waits for too if the message is paced
};

// Shorter messages hinder nobody: they go at once, whatever their pace. About one Ethernet frame.
inline constexpr Bytes least_paced = 1400;
inline bool is_paced(const Task& task, Bytes bytes) {
    return task.pace >= 0 && bytes >= least_paced;
}

struct Program {
    // Blocks::parts: the message is cut into `segments` parts. Otherwise each block is, and chunk
    // p is segment p % segments of block p / segments.
    int segments = 1;
    std::vector<Task> tasks;
    std::vector<Chunk> chunks;
    std::vector<std::int32_t> waits;           // indices of earlier tasks
    std::vector<std::vector<Rank>> receivers;  // of each multicast, by its tag

    std::span<const Chunk> chunks_of(const Task& task) const {
        return {chunks.data() + task.first_chunk, chunks.data() + task.end_chunk};
    }
    std::span<const std::int32_t> waits_of(const Task& task) const {
        return {waits.data() + task.first_wait, waits.data() + task.end_wait};
    }
    std::span<const Rank> receivers_of(const Task& task) const {
        if (task.kind != Kind::mcast) return {};
        return receivers[static_cast<std::size_t>(task.tag)];
    }
};

// Of each rank.
using Programs = std::function<Program(Rank)>;

// Writes a program task by task, in an order that would be right one after the other; finds from
// the chunks that each task reads and writes which ones it must wait for. Both ends of a pair of
// ranks must add the messages between them in the same order.
class Builder {
public:
    // aliases: input and output may be the same memory.
    Builder(int segments, bool aliases) : aliases_(aliases) { program_.segments = segments; }
    // window: sends to one rank that may be under way at once; 0 is any number. Where messages have
    // no order on the wire and share it, all would arrive at the end.
    // ports: sends to any ranks that may be.
    explicit Builder(const Request& request, int segments, int window = 0, int ports = 0)
        : Builder(segments, traits(request.operation).aliases) {
        commutes_ = request.commutative;
        window_ = static_cast<std::size_t>(window);
        ports_ = static_cast<std::size_t>(ports);
    }

    void send(Rank to, Buffer from, std::span<const Chunk> chunks);
    void recv(Rank from, Buffer to, std::span<const Chunk> chunks);
    // earlier: what comes stands before `to` in rank order. An operator that commutes may still
    // give other bits the other way round (NaN, zeros of both signs): for it what comes always
    // stands first, as MPI_Reduce_local has it, which takes no copy. Where several ranks combine
    // the same values, each by itself, they must do so alike.
    void reduce(Rank from, Buffer to, std::span<const Chunk> chunks, bool earlier = false);
    void copy(Buffer from, Buffer to, std::span<const Chunk> chunks);
    void combine(Buffer from, Buffer to, std::span<const Chunk> chunks, bool earlier = false);

    // Barrier, bcast, reduce or allreduce by the MPI library among the ranks of this rank's
    // innermost group (topology/hierarchy.h), all of which add theirs in the same order. It waits
    // for all tasks so far, and all later ones wait for it: it blocks. from, to: -1 where this rank
    // gives or gets nothing. root: its number in the whole communicator. A barrier's chunks are
    // empty; what stands for them in `from` of any rank is then in `to` of all.
    void native(Operation part, Rank root, Buffer from, Buffer to, std::span<const Chunk> chunks);

    // One multicast of the network's own, from this rank or to it. Its number counts all of its
    // sender's, so whoever takes part in one of them takes part in all, or gives the number.
    void mcast(std::span<const Rank> to, Buffer from, std::span<const Chunk> chunks);
    void mcast_recv(Rank from, Buffer to, std::span<const Chunk> chunks, std::int32_t number = -1);

    // The next task also waits for this one (an index into the tasks so far).
    void wait_also_for(std::int32_t task) { waits_.push_back(task); }
    // The next send waits for this one too where its message is long: so that flows do not hinder
    // each other, not because it needs what the task does.
    void pace_by(std::int32_t task) { pace_ = task; }
    std::int32_t last_task() const { return static_cast<std::int32_t>(program_.tasks.size()) - 1; }

    Program finish() { return std::move(program_); }

private:
    std::uint64_t memory_of(Buffer buffer, Chunk chunk) const;
    void add(Task task, std::span<const Chunk> chunks, bool reads, bool writes);

    bool aliases_;
    bool commutes_ = true;
    Program program_;
    Uses uses_;
    std::vector<std::int32_t> waits_;  // of the next task, so far
    std::size_t window_ = 0, ports_ = 0;
    std::map<Rank, std::vector<std::int32_t>> sent_;  // the tasks, in order
    std::vector<std::int32_t> all_sent_;
    std::map<Rank, std::int32_t> received_, mcasts_received_;
    std::int32_t pace_ = -1;
    std::int32_t last_native_ = -1;
};

// 0, 1, … count-1.
std::vector<Chunk> all_chunks(int count);

}  // namespace eco
