// SPDX-License-Identifier: BSD-3-Clause
// MPI datatypes and user buffers as plain bytes. Turns a buffer argument into memory that Execution
// can cut: the buffer itself if its bytes are contiguous, otherwise a packed copy.
#pragma once

#include <cstddef>
#include <memory>

#include "eco/base/units.h"
#include "eco/mpi/native.h"

namespace eco {

struct Type {
    // Size 0 if the library says that there is no such type.
    explicit Type(MPI_Datatype handle);

    MPI_Datatype handle{};
    Bytes size = 0, extent = 0, true_lb = 0, true_extent = 0;
    bool predefined = false;
    bool plain = false;  // predefined, and an array of it lies as it is sent
    // Elements do not overlap, and gaps are no longer than a few times what is sent, so that a copy
    // with the same extent can stand in for the buffer.
    bool can_be_staged() const {
        return extent > 0 && true_extent <= extent && extent <= most_per_byte * size;
    }
    bool has_gaps() const { return extent != size || true_extent != size; }

private:
    static constexpr Bytes most_per_byte = 4;

    Type() = default;
    void ask_library();
};

// What a buffer's elements touch, in bytes from its start.
struct Reach {
    Bytes from = 0, bytes = 0;

    // With that of others.
    void add(Reach other) {
        if (other.bytes <= 0) return;
        const Bytes end = bytes > 0 ? from + bytes : other.from;
        const Bytes start = bytes > 0 ? from : other.from;
        from = start < other.from ? start : other.from;
        bytes = (end > other.from + other.bytes ? end : other.from + other.bytes) - from;
    }
};
// Of `count` elements from `offset` bytes on.
Reach reach(Bytes count, const Type& type, Bytes offset = 0);

// Whether a message may have this type: a type that is not committed, or none, is left to the
// library, which gives the program its error.
bool is_type(MPI_Datatype handle);

using Storage = std::unique_ptr<std::byte[]>;
Storage allocate(Bytes bytes);

// count elements at `user` to packed bytes at `to`, and back. Throw MpiError.
void pack(const void* user, Bytes count, const Type& type, std::byte* to, MPI_Comm comm);
void unpack(const std::byte* from, void* user, Bytes count, const Type& type, MPI_Comm comm);

inline std::byte* bytes_at(const void* buffer, Bytes offset = 0) {
    return static_cast<std::byte*>(const_cast<void*>(buffer)) + offset;
}

}  // namespace eco
