// SPDX-License-Identifier: BSD-3-Clause
// Broadcast, scatter and gather, blocking and not.
#include <memory>
#include <utility>
#include <vector>

#include "eco/preload/forms.h"

namespace eco {

namespace {

template <typename Count, typename NativeCall>
int bcast(void* buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm, Caller caller,
          NativeCall run_native) {
    return run_call(Operation::bcast, comm, caller, run_native, [&](Call& call) {
        if (!call.has_root(root) || count <= 0 || !is_type(datatype)) return false;
        const Type type(datatype);
        const Bytes bytes = static_cast<Bytes>(count) * type.size;
        if (bytes == 0 || !call.takes(bytes)) return false;
        if (call.rank() == root)
            buffer = const_cast<void*>(call.readable(buffer, reach(count, type)));
        else
            buffer = call.writable(buffer, reach(count, type), !type.plain);
        call.hold(type);
        Layout layout;
        layout.whole = bytes;
        if (type.plain) {
            layout.input = layout.output = bytes_at(buffer);
            call.run(std::move(layout), root);
            return true;
        }
        std::byte* packed = call.room(bytes);
        if (call.rank() == root)
            call.fill([=, &call] { pack(buffer, count, type, packed, call.comm()); });
        layout.input = layout.output = packed;
        call.run(std::move(layout), root, [=, &call] {
            if (call.rank() != root) unpack(packed, buffer, count, type, call.comm());
        });
        return true;
    });
}

// The whole of a block array of a root: the buffer itself, or packed blocks one after the other.
struct BlockArray {
    std::vector<Bytes> counts, displacements;  // elements
    std::vector<Bytes> lengths, offsets;       // bytes, in the memory that the executor sees

    BlockArray(const std::vector<Bytes>& elements, const std::vector<Bytes>& places,
               const Type& type)
        : counts(elements), displacements(places) {
        Bytes end = 0;
        for (std::size_t b = 0; b < counts.size(); ++b) {
            lengths.push_back(counts[b] * type.size);
            offsets.push_back(type.plain ? displacements[b] * type.extent : end);
            end += lengths.back();
        }
        total = end;
    }
    Bytes total = 0;

    // In the program's buffer.
    Reach touched(const Type& type) const {
        Reach all;
        for (std::size_t b = 0; b < counts.size(); ++b)
            all.add(reach(counts[b], type, displacements[b] * type.extent));
        return all;
    }
};

template <typename Count>
BlockArray equal_blocks(int ranks, Count count, const Type& type) {
    std::vector<Bytes> counts, places;
    for (int b = 0; b < ranks; ++b) {
        counts.push_back(count);
        places.push_back(static_cast<Bytes>(b) * static_cast<Bytes>(count));
    }
    return {counts, places, type};
}

template <typename Count, typename Displacement>
BlockArray given_blocks(int ranks, const Count* counts, const Displacement* displacements,
                        const Type& type) {
    return {std::vector<Bytes>(counts, counts + ranks),
            std::vector<Bytes>(displacements, displacements + ranks), type};
}

// lengths: of each block in bytes, as far as this rank's program touches it; kept by the call.
void set_lengths(Layout& layout, const std::vector<Bytes>& lengths) {
    layout.length = [&lengths](int block) { return lengths[static_cast<std::size_t>(block)]; };
    layout.input_offset = layout.output_offset = [](int) { return Bytes{0}; };
}

// Before the blocks themselves, the same schedule carries each block's length, so that whoever
// passes blocks on knows how long they are.
void run_lengths(Call& call, Rank root, std::vector<Bytes>& lengths, Call::Then then) {
    auto& ahead = call.keep(LengthsAhead(lengths, call.segments()));
    call.run(ahead.layout(), root, [&lengths, &ahead, then = std::move(then)] {
        lengths = ahead.arrived();
        then();
    });
}

bool fits(const std::vector<Bytes>& lengths, const std::vector<Bytes>& capacities) {
    for (std::size_t b = 0; b < lengths.size(); ++b)
        if (lengths[b] > capacities[b]) return false;
    return true;
}

// Receives blocks that are longer than their places into memory of our own: as natively the job
// goes on, the program's memory stays whole, and the call fails.
void redirect(Call& call, Layout& layout, const std::vector<Bytes>& lengths) {
    auto offsets = std::make_shared<std::vector<Bytes>>();
    Bytes end = 0;
    for (const Bytes length : lengths) {
        offsets->push_back(end);
        end += length;
    }
    layout.output = call.room(end);
    layout.output_offset = [offsets](int block) {
        return (*offsets)[static_cast<std::size_t>(block)];
    };
}

// blocks: the root's, kept by the call; null elsewhere.
void gather_blocks(Call& call, bool lengths_known, const void* sendbuf, Bytes sendcount,
                   MPI_Datatype sendtype, void* recvbuf, const BlockArray* blocks,
                   MPI_Datatype recvtype, int root) {
    const bool is_root = call.rank() == root, in_place = is_root && sendbuf == MPI_IN_PLACE;
    const auto me = static_cast<std::size_t>(call.rank());
    auto& lengths = call.keep(std::vector<Bytes>(static_cast<std::size_t>(call.size()), 0));
    std::byte *packed_input = nullptr, *packed_output = nullptr;
    Layout layout;
    set_lengths(layout, lengths);
    if (is_root) {
        const Type type(recvtype);
        call.hold(type);
        lengths = blocks->lengths;
        recvbuf = call.writable(recvbuf, blocks->touched(type), true);
        layout.output = bytes_at(recvbuf);
        if (!type.plain) {
            packed_output = call.room(blocks->total);
            layout.output = packed_output;
            call.fill([=, &call] {
                for (std::size_t b = 0; b < blocks->counts.size(); ++b)
                    if (!lengths_known ||
                        (in_place && b == me))  // less may come than there is room for
                        pack(bytes_at(recvbuf, blocks->displacements[b] * type.extent),
                             blocks->counts[b], type, packed_output + blocks->offsets[b],
                             call.comm());
            });
        }
        layout.output_offset = [blocks](int block) {
            return blocks->offsets[static_cast<std::size_t>(block)];
        };
    }
    if (in_place) {
        layout.input = layout.output;
        layout.input_offset = layout.output_offset;
    } else {
        const Type type(sendtype);
        lengths[me] = sendcount * type.size;
        sendbuf = call.readable(sendbuf, reach(sendcount, type));
        layout.input = bytes_at(sendbuf);
        if (!type.plain) {
            packed_input = call.room(lengths[me]);
            call.fill(type,
                      [=, &call] { pack(sendbuf, sendcount, type, packed_input, call.comm()); });
            layout.input = packed_input;
        }
    }
    const auto unpack_all = [=, &call] {
        if (!packed_output) return;
        const Type type(recvtype);
        for (std::size_t b = 0; b < blocks->counts.size(); ++b)
            if (!in_place || b != me)
                unpack(packed_output + blocks->offsets[b],
                       bytes_at(recvbuf, blocks->displacements[b] * type.extent), blocks->counts[b],
                       type, call.comm());
    };
    auto run_blocks = [=, &call, &lengths, layout = std::move(layout)]() mutable {
        if (is_root && !fits(lengths, blocks->lengths)) {
            redirect(call, layout, lengths);
            return call.run(std::move(layout), root, [] { throw MpiError{MPI_ERR_TRUNCATE}; });
        }
        call.run(std::move(layout), root, unpack_all);
    };
    if (!lengths_known && call.passes_blocks_on())
        return run_lengths(call, root, lengths, std::move(run_blocks));
    if (lengths_known) lengths.assign(lengths.size(), lengths[me]);
    run_blocks();
}

void scatter_blocks(Call& call, bool lengths_known, const void* sendbuf, const BlockArray* blocks,
                    MPI_Datatype sendtype, void* recvbuf, Bytes recvcount, MPI_Datatype recvtype,
                    int root) {
    const bool is_root = call.rank() == root, in_place = is_root && recvbuf == MPI_IN_PLACE;
    const auto me = static_cast<std::size_t>(call.rank());
    auto& lengths = call.keep(std::vector<Bytes>(static_cast<std::size_t>(call.size()), 0));
    std::byte *packed_input = nullptr, *packed_output = nullptr;
    Layout layout;
    set_lengths(layout, lengths);
    Bytes capacity = 0;
    if (is_root) {
        const Type type(sendtype);
        lengths = blocks->lengths;
        sendbuf = call.readable(sendbuf, blocks->touched(type));
        layout.input = bytes_at(sendbuf);
        if (!type.plain) {
            packed_input = call.room(blocks->total);
            call.fill(type, [=, &call] {
                for (std::size_t b = 0; b < blocks->counts.size(); ++b)
                    pack(bytes_at(sendbuf, blocks->displacements[b] * type.extent),
                         blocks->counts[b], type, packed_input + blocks->offsets[b], call.comm());
            });
            layout.input = packed_input;
        }
        layout.input_offset = [blocks](int block) {
            return blocks->offsets[static_cast<std::size_t>(block)];
        };
    }
    if (in_place) {
        layout.output = layout.input;
        layout.output_offset = layout.input_offset;
    } else {
        const Type type(recvtype);
        call.hold(type);
        capacity = recvcount * type.size;
        // The root knows what there is, which may be less than it has room for.
        if (!is_root) lengths[me] = capacity;
        recvbuf = call.writable(recvbuf, reach(recvcount, type), !type.plain || !lengths_known);
        layout.output = bytes_at(recvbuf);
        if (!type.plain) {
            packed_output = call.room(capacity);
            layout.output = packed_output;
            if (!lengths_known)  // less may come than there is room for
                call.fill(
                    [=, &call] { pack(recvbuf, recvcount, type, packed_output, call.comm()); });
        }
    }
    const auto unpack_it = [=, &call] {
        if (packed_output) unpack(packed_output, recvbuf, recvcount, Type(recvtype), call.comm());
    };
    auto run_blocks = [=, &call, &lengths, layout = std::move(layout)]() mutable {
        if (!in_place && lengths[me] > capacity) {
            layout.output = call.room(lengths[me]);
            return call.run(std::move(layout), root, [] { throw MpiError{MPI_ERR_TRUNCATE}; });
        }
        call.run(std::move(layout), root, unpack_it);
    };
    if (!lengths_known && call.passes_blocks_on())
        return run_lengths(call, root, lengths, std::move(run_blocks));
    if (lengths_known) lengths.assign(lengths.size(), lengths[me]);
    run_blocks();
}

template <typename Count, typename NativeCall>
int gather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
           Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Caller caller,
           NativeCall run_native) {
    return run_call(Operation::gather, comm, caller, run_native, [&](Call& call) {
        if (!call.has_root(root)) return false;
        const bool is_root = call.rank() == root;
        const Count count = is_root ? recvcount : sendcount;
        const bool own = !is_root || sendbuf != MPI_IN_PLACE;
        if (count <= 0 || !is_type(is_root ? recvtype : sendtype)) return false;
        if (own && (sendcount < 0 || !is_type(sendtype))) return false;
        const Type type(is_root ? recvtype : sendtype);
        const Bytes bytes = static_cast<Bytes>(count) * type.size;
        if (bytes == 0 || !call.takes(bytes)) return false;
        const auto& blocks = call.keep(equal_blocks(is_root ? call.size() : 0, recvcount, type));
        gather_blocks(call, true, sendbuf, sendcount, sendtype, recvbuf, &blocks, recvtype, root);
        return true;
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int gatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype, int root,
            MPI_Comm comm, Caller caller, NativeCall run_native) {
    return run_call(Operation::gatherv, comm, caller, run_native, [&](Call& call) {
        if (!call.has_root(root) || !call.takes(-1)) return false;
        if (call.rank() != root) {
            gather_blocks(call, false, sendbuf, sendcount, sendtype, recvbuf, nullptr, recvtype,
                          root);
            return true;
        }
        const auto& blocks =
            call.keep(given_blocks(call.size(), recvcounts, displs, Type(recvtype)));
        gather_blocks(call, false, sendbuf, sendcount, sendtype, recvbuf, &blocks, recvtype, root);
        return true;
    });
}

template <typename Count, typename NativeCall>
int scatter(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Caller caller,
            NativeCall run_native) {
    return run_call(Operation::scatter, comm, caller, run_native, [&](Call& call) {
        if (!call.has_root(root)) return false;
        const bool is_root = call.rank() == root;
        const Count count = is_root ? sendcount : recvcount;
        const bool own = !is_root || recvbuf != MPI_IN_PLACE;
        if (count <= 0 || !is_type(is_root ? sendtype : recvtype)) return false;
        if (own && (recvcount < 0 || !is_type(recvtype))) return false;
        const Type type(is_root ? sendtype : recvtype);
        const Bytes bytes = static_cast<Bytes>(count) * type.size;
        if (bytes == 0 || !call.takes(bytes)) return false;
        const auto& blocks = call.keep(equal_blocks(is_root ? call.size() : 0, sendcount, type));
        scatter_blocks(call, true, sendbuf, &blocks, sendtype, recvbuf, recvcount, recvtype, root);
        return true;
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int scatterv(const void* sendbuf, const Count* sendcounts, const Displacement* displs,
             MPI_Datatype sendtype, void* recvbuf, Count recvcount, MPI_Datatype recvtype, int root,
             MPI_Comm comm, Caller caller, NativeCall run_native) {
    return run_call(Operation::scatterv, comm, caller, run_native, [&](Call& call) {
        if (!call.has_root(root) || !call.takes(-1)) return false;
        if (call.rank() != root) {
            scatter_blocks(call, false, sendbuf, nullptr, sendtype, recvbuf, recvcount, recvtype,
                           root);
            return true;
        }
        const auto& blocks =
            call.keep(given_blocks(call.size(), sendcounts, displs, Type(sendtype)));
        scatter_blocks(call, false, sendbuf, &blocks, sendtype, recvbuf, recvcount, recvtype, root);
        return true;
    });
}

}  // namespace

}  // namespace eco

// Each function and its large-count twin.
#define ECO_DEFINE(suffix, Count, Displacement)                                                    \
    ECO_FORMS(suffix, Bcast, Ibcast, eco::bcast, (buffer, count, type, root, comm),                \
              (void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm),             \
              (buffer, count, type, root, comm))                                                   \
    ECO_FORMS(suffix, Gather, Igather, eco::gather,                                                \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),            \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,         \
               Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),                   \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))            \
    ECO_FORMS(suffix, Gatherv, Igatherv, eco::gatherv,                                             \
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),   \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,         \
               const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,         \
               int root, MPI_Comm comm),                                                           \
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))   \
    ECO_FORMS(suffix, Scatter, Iscatter, eco::scatter,                                             \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),            \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,         \
               Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),                   \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))            \
    ECO_FORMS(suffix, Scatterv, Iscatterv, eco::scatterv,                                          \
              (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),   \
              (const void* sendbuf, const Count* sendcounts, const Displacement* displs,           \
               MPI_Datatype sendtype, void* recvbuf, Count recvcount, MPI_Datatype recvtype,       \
               int root, MPI_Comm comm),                                                           \
              (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))

ECO_DEFINE(, int, int)
#if ECO_HAS_COUNT
ECO_DEFINE(_c, MPI_Count, MPI_Aint)
#endif
#undef ECO_DEFINE
