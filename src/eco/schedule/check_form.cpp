// SPDX-License-Identifier: BSD-3-Clause
#include "eco/schedule/check_form.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "eco/base/at.h"
#include "eco/schedule/first_complaint.h"

namespace eco {

namespace {

class FormCheck : FirstComplaint {
public:
    explicit FormCheck(const AllPrograms& all) : all_(all), ranks_(all.ranks()) {}

    std::string run() {
        for (Rank rank = 0; rank < ranks_ && wrong().empty(); ++rank) check_races(rank);
        if (wrong().empty()) check_messages();
        if (wrong().empty()) check_mcasts();
        if (wrong().empty()) check_natives();
        return wrong();
    }

private:
    static bool reads(const Task& task) {
        if (task.kind == Kind::native) return task.from >= 0;
        return task.kind == Kind::send || task.kind == Kind::mcast || task.kind == Kind::copy ||
               task.kind == Kind::combine;
    }
    static bool writes(const Task& task) {
        if (task.kind == Kind::native) return task.to >= 0;
        return task.kind != Kind::send && task.kind != Kind::mcast;
    }

    // Tasks that touch the same chunk, one of them writing, must be ordered by waits.
    void check_races(Rank rank) {
        const Program& program = all_.of[at(rank)];
        if (program.segments != all_.of[0].segments) {
            fail("rank ", rank, " cuts into other segments than rank 0");
            return;
        }
        const std::size_t tasks = program.tasks.size();
        const bool has_native =
            std::any_of(program.tasks.begin(), program.tasks.end(),
                        [](const Task& task) { return task.kind == Kind::native; });
        std::vector<std::vector<bool>> before(tasks, std::vector<bool>(tasks, false));
        std::map<std::pair<Buffer, Chunk>, std::vector<std::size_t>> users;
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
            for (const Chunk chunk : program.chunks_of(task)) {
                if (chunk < 0 || chunk >= all_.chunks()) {
                    fail("rank ", rank, " task ", t, " names chunk ", chunk, " of ", all_.chunks());
                    return;
                }
                std::set<Buffer> buffers;
                if (reads(task)) buffers.insert(task.from);
                if (writes(task)) buffers.insert(task.to);
                for (Buffer buffer : buffers) {
                    if (buffer == output && traits(all_.operation).aliases) buffer = input;
                    for (const auto other : users[{buffer, chunk}])
                        if (other != t && !before[t][other] &&
                            conflict(program.tasks[other], task, buffer))
                            fail("rank ", rank, ": tasks ", other, " and ", t, " race for chunk ",
                                 chunk);
                    users[{buffer, chunk}].push_back(t);
                }
            }
        }
    }

    bool conflict(const Task& a, const Task& b, Buffer buffer) const {
        const auto writes_buffer = [&](const Task& task) {
            if (!writes(task)) return false;
            return (task.to == output && traits(all_.operation).aliases ? input : task.to) ==
                   buffer;
        };
        return writes_buffer(a) || writes_buffer(b);
    }

    // One receive for each send, with the same chunks.
    void check_messages() {
        std::map<std::tuple<Rank, Rank, int>, std::vector<Chunk>> sent;
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (const Task& task : all_.of[at(rank)].tasks) {
                if (task.kind != Kind::send) continue;
                if (task.peer < 0 || task.peer >= ranks_ || task.peer == rank)
                    fail("rank ", rank, " sends to ", task.peer);
                const auto chunks = all_.of[at(rank)].chunks_of(task);
                if (!sent.emplace(std::tuple{rank, task.peer, task.tag},
                                  std::vector<Chunk>(chunks.begin(), chunks.end()))
                         .second)
                    fail("rank ", rank, " sends twice with tag ", task.tag, " to ", task.peer);
            }
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (const Task& task : all_.of[at(rank)].tasks) {
                if (task.kind != Kind::recv && task.kind != Kind::reduce) continue;
                const auto found = sent.find({task.peer, rank, task.tag});
                if (found == sent.end()) {
                    fail("rank ", rank, " waits for message ", task.tag, " of ", task.peer,
                         ", which is never sent");
                    return;
                }
                const auto chunks = all_.of[at(rank)].chunks_of(task);
                if (!std::equal(chunks.begin(), chunks.end(), found->second.begin(),
                                found->second.end()))
                    fail("ranks ", task.peer, " and ", rank, " disagree on message ", task.tag);
                sent.erase(found);
            }
        if (!sent.empty())
            fail("rank ", std::get<0>(sent.begin()->first), " sends a message to ",
                 std::get<1>(sent.begin()->first), " that is never received");
    }

    // Each receiver of a multicast takes it once, with the same chunks, and nobody else does.
    void check_mcasts() {
        std::map<std::tuple<Rank, Rank, int>, std::vector<Chunk>> sent;
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (const Task& task : all_.of[at(rank)].tasks) {
                if (task.kind != Kind::mcast) continue;
                const Program& program = all_.of[at(rank)];
                const auto chunks = program.chunks_of(task);
                if (program.receivers_of(task).empty())
                    fail("rank ", rank, " multicasts to nobody");
                else if (mcast_rate(all_.request.hierarchy->top, rank,
                                    program.receivers_of(task)) <= 0)
                    fail("rank ", rank, " multicasts to ranks that multicast does not reach");
                for (const Rank to : program.receivers_of(task)) {
                    if (to < 0 || to >= ranks_ || to == rank)
                        fail("rank ", rank, " multicasts to ", to);
                    if (!sent.emplace(std::tuple{rank, to, task.tag},
                                      std::vector<Chunk>(chunks.begin(), chunks.end()))
                             .second)
                        fail("rank ", rank, " multicasts twice with tag ", task.tag, " to ", to);
                }
            }
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (const Task& task : all_.of[at(rank)].tasks) {
                if (task.kind != Kind::mcast_recv) continue;
                const auto found = sent.find({task.peer, rank, task.tag});
                if (found == sent.end()) {
                    fail("rank ", rank, " waits for multicast ", task.tag, " of ", task.peer,
                         ", which is never sent to it");
                    return;
                }
                const auto chunks = all_.of[at(rank)].chunks_of(task);
                if (!std::equal(chunks.begin(), chunks.end(), found->second.begin(),
                                found->second.end()))
                    fail("ranks ", task.peer, " and ", rank, " disagree on multicast ", task.tag);
                sent.erase(found);
            }
        if (!sent.empty())
            fail("rank ", std::get<0>(sent.begin()->first), " multicasts to ",
                 std::get<1>(sent.begin()->first), " what it never receives");
    }

    // The same native tasks on all ranks of a group, each with the places that its part in it
    // needs.
    void check_natives() {
        for (Rank rank = 0; rank < ranks_ && wrong().empty(); ++rank) {
            const Rank first = all_.group_of(rank).front();
            if (all_.natives[at(rank)].size() != all_.natives[at(first)].size())
                fail("ranks ", first, " and ", rank,
                     " disagree on how many native tasks there are");
            for (std::size_t n = 0; n < all_.natives[at(rank)].size() && wrong().empty(); ++n)
                check_native(rank, all_.native(rank, n), first, all_.native(first, n));
        }
    }

    void check_native(Rank rank, const Task& task, Rank first, const Task& other) {
        using enum Operation;
        const auto& group = all_.group_of(rank);
        const auto chunks = all_.of[at(rank)].chunks_of(task),
                   others = all_.of[at(first)].chunks_of(other);
        if (group.size() < 2) fail("rank ", rank, " has a native task, but no group");
        if (std::find(group.begin(), group.end(), task.peer) == group.end())
            fail("rank ", rank, ": ", task.peer, " is the root of a native task of its group");
        if (task.part != other.part || task.peer != other.peer ||
            !std::equal(chunks.begin(), chunks.end(), others.begin(), others.end()))
            fail("ranks ", first, " and ", rank, " disagree on a native task");
        const bool is_root = task.peer == rank;
        const bool gives = task.part != bcast || is_root, gets = task.part == bcast    ? !is_root
                                                                 : task.part == reduce ? is_root
                                                                                       : true;
        if (task.part != bcast && task.part != reduce && task.part != allreduce &&
            (task.part != barrier || all_.operation != barrier))
            fail("rank ", rank, " has a native task of no use here: ", traits(task.part).name);
        if (gives != (task.from >= 0) || gets != (task.to >= 0))
            fail("rank ", rank, " gives or gets too much or too little in a native ",
                 traits(task.part).name);
    }

    const AllPrograms& all_;
    int ranks_;
};

}  // namespace

AllPrograms::AllPrograms(const Request& given, const Programs& programs)
    : request(given), operation(base(given.operation)) {
    for (Rank rank = 0; rank < ranks(); ++rank) {
        of.push_back(programs(rank));
        natives.emplace_back();
        const auto& tasks = of.back().tasks;
        for (std::size_t t = 0; t < tasks.size(); ++t)
            if (tasks[t].kind == Kind::native) natives.back().push_back(t);
    }
}

int AllPrograms::chunks() const {
    const int segments = of[0].segments;
    switch (traits(operation).blocks) {
        case Blocks::parts:
            return segments;
        case Blocks::per_rank:
            return ranks() * segments;
        case Blocks::per_pair:
            return ranks() * ranks() * segments;
        case Blocks::per_multicast:
            return static_cast<int>(request.multicasts->size()) * segments;
    }
    return 0;
}

const std::vector<Rank>& AllPrograms::group_of(Rank rank) const {
    return innermost(request.hierarchy->top, rank).ranks;
}

const Task& AllPrograms::native(Rank rank, std::size_t number) const {
    return of[at(rank)].tasks[natives[at(rank)][number]];
}

std::string check_form(const AllPrograms& programs) { return FormCheck(programs).run(); }

}  // namespace eco
