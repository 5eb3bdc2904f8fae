// Where the pieces of one call's message lie in memory. Made by a wrapper for each call; read by
// the executor.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "eco/base/units.h"
#include "eco/plan/program.h"

namespace eco {

struct Span {
    std::byte* data;
    Bytes bytes;
};

struct Layout {
    Bytes unit = 1;  // elements are never cut
    // Scratch is the output too: for a message that every rank has room for whole.
    bool one_board = false;
    std::byte* input = nullptr;
    std::byte* output = nullptr;

    // Blocks::parts: the whole message; else a block's length, and its place in input and output.
    Bytes whole = 0;
    std::function<Bytes(int block)> length, input_offset, output_offset;

    Bytes bytes(Piece piece, int segments) const {
        return end(piece, segments) - start(piece, segments);
    }
    // In input or output.
    Span at(Place place, Piece piece, int segments) const {
        const auto& offset = place == eco::input ? input_offset : output_offset;
        const Bytes block = length ? offset(piece / segments) : 0;
        return {(place == eco::input ? input : output) + block + start(piece, segments),
                bytes(piece, segments)};
    }

private:
    // Within the message (parts) or the block.
    Bytes units(Piece piece, int segments) const {
        return (length ? length(piece / segments) : whole) / unit;
    }
    Bytes start(Piece piece, int segments) const {
        return units(piece, segments) * (piece % segments) / segments * unit;
    }
    Bytes end(Piece piece, int segments) const {
        return units(piece, segments) * (piece % segments + 1) / segments * unit;
    }
};

// The lengths of all blocks, 8 bytes each, sent ahead by the schedule that then carries the blocks.
inline Layout layout_of_lengths(std::vector<Bytes>& lengths) {
    Layout layout;
    layout.unit = sizeof(Bytes);
    layout.one_board = true;
    layout.input = layout.output = reinterpret_cast<std::byte*>(lengths.data());
    layout.length = [](int) { return Bytes{sizeof(Bytes)}; };
    layout.input_offset =
        layout.output_offset = [](int block) { return Bytes{sizeof(Bytes)} * block; };
    return layout;
}

}  // namespace eco
