// Turns a choice and a request into one rank's program. Called by interpose (once per communicator,
// operation, root and size class), bench and tests. All ranks that plan alike get programs that fit
// together; verify.h shows it.
#pragma once

#include <vector>

#include "eco/plan/choice.h"
#include "eco/plan/program.h"

namespace eco {

// What TCP sends at once on a connection that was quiet: ten segments, less MPI's own bytes. A
// longer message waits for a round trip, on slow links the most of its time.
inline constexpr Bytes first_flight = 14000;

// Whether the choice can do it: some families know only some operations, some need an operator that
// commutes. Never for Family::native.
bool supports(const Choice& choice, const Request& request);

// Needs supports(choice, request). Local, no communication. Cost: O(P) and the program's length.
Program plan(const Choice& choice, const Request& request, Rank me);

// What is worth timing for an operation on this network, the likely best first; never empty.
// bytes: message size, or -1 where it is not known to all.
std::vector<Choice> candidates(const Request& request, Bytes bytes);

// Into how many segments a message, or each of its blocks, is worth cutting: blocks of many ranks
// follow each other through the network without that.
int most_segments(const Request& request);

// Gather and scatter: whether a rank may get blocks that are for others, whose lengths it then must
// know. False where every block goes straight between its rank and the root, over MPI, which
// notices one that is longer than its place.
bool passes_blocks_on(const Choice& choice, const Hierarchy& hierarchy);

// One planner per family, in the file of its name.
Program plan_tree(const Choice& choice, const Request& request, Rank me);
Program plan_exchange(const Choice& choice, const Request& request, Rank me);
Program plan_carriers(const Choice& choice, const Request& request, Rank me);
Program plan_rooted_carriers(const Choice& choice, const Request& request, Rank me);
Program plan_ring(const Choice& choice, const Request& request, Rank me);
Program plan_butterfly(const Choice& choice, const Request& request, Rank me);
Program plan_direct(const Choice& choice, const Request& request, Rank me);
Program plan_index(const Choice& choice, const Request& request, Rank me);
Program plan_scan(const Choice& choice, const Request& request, Rank me);
Program plan_ordered(const Choice& choice, const Request& request, Rank me);

// The pieces of the blocks of `ranks`, ascending; at least one segment a block.
std::vector<Piece> pieces_of(std::vector<Rank> ranks, int segments);

// Splits pieces into messages: one each, or all in one where the choice does not segment. An empty
// list is no message.
std::vector<std::vector<Piece>> messages(const std::vector<Piece>& pieces, const Choice& choice);

inline int segments_of(const Choice& choice) { return choice.segments > 0 ? choice.segments : 1; }

}  // namespace eco
