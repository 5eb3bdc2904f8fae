// SPDX-License-Identifier: BSD-3-Clause
// Turns a choice and a request into one rank's program. Called by job (once per communicator,
// operation, root and size class), bench and tests. All ranks that plan alike get programs that fit
// together; verify.h shows it.
#pragma once

#include <vector>

#include "eco/planners/choice.h"
#include "eco/planners/extent.h"
#include "eco/schedule/program.h"

namespace eco {

// What TCP sends at once on a connection that was quiet: ten segments, less MPI's own bytes. A
// longer message waits for a round trip, on slow links the most of its time.
inline constexpr Bytes first_flight = 14000;

// Whether the choice can do it: some families know only some operations, some need an operator that
// commutes; and none whose programs are too long for one rank (extent.h). Never for Family::native.
bool supports(const Choice& choice, const Request& request);

// Also whether a rank has the memory that it takes at this message size (scratch.h); what -1, a
// size that not all ranks know, takes is not known either, and it is supported.
bool supports(const Choice& choice, const Request& request, Bytes bytes);

// What its schedule follows of the hierarchy (On). O(P).
Hierarchy seen_by(const Choice& choice, const Hierarchy& hierarchy);

// use(request) with that hierarchy in the request's place.
template <typename Use>
auto with_seen(const Choice& choice, const Request& request, Use use) {
    if (choice.on == On::levels) return use(request);
    const Hierarchy other = seen_by(choice, *request.hierarchy);
    Request seen = request;
    seen.hierarchy = &other;
    return use(seen);
}

// No rank's program is longer; the longest is mostly at least a third as long. The same on all
// ranks. Needs a choice that the operation knows. Without planning: O(groups).
Extent extent(const Choice& choice, const Request& request);

// Bytes that a rank takes for each byte of the message size (scratch.h). Without planning:
// O(groups).
double scratch_per_byte(const Choice& choice, const Request& request);

// Needs supports(choice, request). Local, no communication. Cost: O(P) and the program's length.
Program plan(const Choice& choice, const Request& request, Rank me);

// Into how many segments a message, or each of its blocks, is worth cutting: blocks of many ranks
// follow each other through the network without that.
int most_segments(const Request& request);

// Gather and scatter: whether a rank may get blocks that are for others, whose lengths it then must
// know. False where every block goes straight between its rank and the root, over MPI, which
// notices one that is longer than its place.
bool passes_blocks_on(const Choice& choice, const Hierarchy& hierarchy);

// Whether it moves one message whole: to all, from all, or for all.
bool is_whole(const Request& request);

// Of the family exchange, by operation and choice, in the files of their names.
Program plan_exchange(const Choice& choice, const Request& request, Rank me);
Program plan_carriers(const Choice& choice, const Request& request, Rank me);
Program plan_rooted_carriers(const Choice& choice, const Request& request, Rank me);
Program plan_scan(const Choice& choice, const Request& request, Rank me);
// Of the family tree; butterfly uses it too.
Program plan_tree(const Choice& choice, const Request& request, Rank me);

// The chunks of the blocks of `ranks`, ascending; at least one segment a block.
std::vector<Chunk> chunks_of(std::vector<Rank> ranks, int segments);

// Splits chunks into messages: one each, or all in one where the choice does not segment. An empty
// list is no message.
std::vector<std::vector<Chunk>> messages(const std::vector<Chunk>& chunks, const Choice& choice);

// The segments that go straight (Choice::straight): the last ones, which would come too late if
// another group had to forward them; of a reduction the first ones, which arrive before any that
// was forwarded.
class StraightSegments {
public:
    StraightSegments(const Choice& choice, const Request& request);
    bool holds(Chunk chunk) const { return chunk >= first_ && chunk < end_; }

    // The message of each part, in order. Those that go straight between the same ranks are one
    // message: where messages share a link it comes after the short ones that wait to be forwarded.
    std::vector<std::vector<Chunk>> messages() const;
    std::vector<std::vector<Chunk>> own_messages() const;  // of those that go straight

private:
    const Choice& choice_;
    Chunk first_ = 0, end_ = 0;
};

// By rank, where each block has a tree of its own: whether it goes straight. Those of small groups
// come first, whose links carry little else. O(P).
std::vector<bool> straight_blocks(const Choice& choice, const Request& request);

}  // namespace eco
