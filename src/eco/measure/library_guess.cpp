// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/library_guess.h"

#include <algorithm>

namespace eco {

const LibraryCall* similar_call(const LibraryCall& call, const std::vector<LibraryCall>& all) {
    const LibraryCall* shorter = nullptr;
    for (const LibraryCall& other : all) {
        if (other.operation != call.operation || other.native <= 0) continue;
        if (!call.near && other.near && other.bytes == call.bytes) return &other;
        if (other.near == call.near && other.bytes < call.bytes &&
            (!shorter || other.bytes > shorter->bytes))
            shorter = &other;
    }
    return shorter;
}

LibraryGuess guess(const LibraryCall& call, const LibraryCall* similar) {
    if (!similar) return {call.baseline, false};
    if (call.baseline > 0 && similar->baseline > 0)
        return {similar->native * std::max(1.0, call.baseline / similar->baseline), true};
    const double longer =
        static_cast<double>(call.bytes) / static_cast<double>(std::max<Bytes>(similar->bytes, 1));
    return {similar->native * longer, true};
}

}  // namespace eco
