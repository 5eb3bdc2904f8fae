// SPDX-License-Identifier: BSD-3-Clause
// Where the chunks of one call's message are in memory. Made by a wrapper for each call; read by
// Execution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "eco/base/units.h"
#include "eco/schedule/program.h"

namespace eco {

struct Span {
    std::byte* data;
    Bytes bytes;
};

struct Layout {
    Bytes unit = 1;  // elements are never cut
    // Scratch is the output too: for a message that every rank has room for whole.
    bool scratch_is_output = false;
    std::byte* input = nullptr;
    std::byte* output = nullptr;

    // Blocks::parts: the whole message; else a block's length, and its place in input and output.
    Bytes whole = 0;
    std::function<Bytes(int block)> length, input_offset, output_offset;

    Bytes bytes(Chunk chunk, int segments) const {
        return end(chunk, segments) - start(chunk, segments);
    }
    // In input or output.
    Span at(Buffer buffer, Chunk chunk, int segments) const {
        const auto& offset = buffer == eco::input ? input_offset : output_offset;
        const Bytes block = length ? offset(chunk / segments) : 0;
        return {(buffer == eco::input ? input : output) + block + start(chunk, segments),
                bytes(chunk, segments)};
    }

private:
    // Within the message (parts) or the block.
    Bytes units(Chunk chunk, int segments) const {
        return (length ? length(chunk / segments) : whole) / unit;
    }
    Bytes start(Chunk chunk, int segments) const {
        return units(chunk, segments) * (chunk % segments) / segments * unit;
    }
    Bytes end(Chunk chunk, int segments) const {
        return units(chunk, segments) * (chunk % segments + 1) / segments * unit;
    }
};

// The lengths of all blocks, sent ahead by the schedule that then carries the blocks: 8 bytes with
// each chunk, so that whoever passes on no more than a chunk of a block knows its length too.
class LengthsAhead {
public:
    // lengths: those that this rank knows, 0 of the others. segments: of the schedule's blocks.
    LengthsAhead(const std::vector<Bytes>& lengths, int segments)
        : segments_(static_cast<std::size_t>(segments)) {
        for (const Bytes length : lengths) carried_.insert(carried_.end(), segments_, length);
    }

    Layout layout() {
        const Bytes each = sizeof(Bytes), block = each * static_cast<Bytes>(segments_);
        Layout layout;
        layout.unit = each;
        layout.scratch_is_output = true;
        layout.input = layout.output = reinterpret_cast<std::byte*>(carried_.data());
        layout.length = [block](int) { return block; };
        layout.input_offset = layout.output_offset = [block](int b) { return b * block; };
        return layout;
    }

    // Of all blocks that this rank's program touches, once the schedule has run.
    std::vector<Bytes> arrived() const {
        std::vector<Bytes> lengths;
        for (std::size_t first = 0; first < carried_.size(); first += segments_)
            lengths.push_back(*std::max_element(&carried_[first], &carried_[first] + segments_));
        return lengths;
    }

private:
    std::size_t segments_;
    std::vector<Bytes> carried_;  // by block and segment
};

}  // namespace eco
