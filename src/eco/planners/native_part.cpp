// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/native_part.h"

namespace eco {

NativePart::NativePart(const Choice& choice, const Request& request, Rank root, Rank me,
                       Builder& builder)
    : me_(me), is_barrier_(base(request.operation) == Operation::barrier), builder_(builder) {
    const Group& group = innermost(request.hierarchy->top, me);
    leader_ = LeaderRotation{}.of_group(group, root);
    takes_part_ = choice.native_inside() && !group.is_rank();
    is_all_ = static_cast<int>(group.ranks.size()) == request.ranks();
}

// A broadcast of nothing waits for nobody, so the parts of a barrier are barriers.
void NativePart::collect(const std::vector<Chunk>& chunks, Buffer sum) {
    if (!takes_part_) return;
    if (is_barrier_)
        builder_.native(Operation::barrier, leader_, input, follows() ? scratch(0) : sum, chunks);
    else
        builder_.native(Operation::reduce, leader_, input, follows() ? -1 : sum, chunks);
}

void NativePart::spread(const std::vector<Chunk>& chunks, Buffer from) {
    if (!takes_part_) return;
    if (is_barrier_)
        builder_.native(Operation::barrier, leader_, follows() ? scratch(0) : from, output, chunks);
    else
        builder_.native(Operation::bcast, leader_, follows() ? -1 : from, follows() ? output : -1,
                        chunks);
}

void NativePart::allreduce(const std::vector<Chunk>& chunks) {
    builder_.native(is_barrier_ ? Operation::barrier : Operation::allreduce, leader_, input, output,
                    chunks);
}

}  // namespace eco
