// SPDX-License-Identifier: BSD-3-Clause
// Barrier, allgather and all-to-all, blocking and not.
#include <utility>
#include <vector>

#include "eco/preload/forms.h"

namespace eco {

namespace {

template <typename NativeCall>
int barrier(MPI_Comm comm, Caller caller, NativeCall run_native) {
    return run_call(Operation::barrier, comm, caller, run_native, [&](Call& call) {
        if (!call.takes(0)) return false;
        static std::byte nothing{};
        Layout layout;
        layout.input = layout.output = &nothing;
        call.run(std::move(layout), 0);
        return true;
    });
}

// One block of the caller's own, or what stands for it packed.
struct OwnBlock {
    OwnBlock(const void* buffer, Bytes count, const Type& type, Call& call) {
        buffer = call.readable(buffer, reach(count, type));
        data = bytes_at(buffer);
        if (type.plain) return;
        data = call.room(count * type.size);
        call.fill(type,
                  [=, to = data, comm = call.comm()] { pack(buffer, count, type, to, comm); });
    }
    std::byte* data;
};

// The blocks of all ranks in one buffer.
struct AllBlocks {
    std::vector<Bytes> counts, places;    // elements
    std::vector<Bytes> lengths, offsets;  // bytes, in the memory that the executor sees
};

// counts and places (elements) of every rank's block in recvbuf; lengths are the same everywhere.
void allgather_blocks(Call& call, const void* sendbuf, Bytes sendcount, MPI_Datatype sendtype,
                      void* recvbuf, std::vector<Bytes> given_counts,
                      std::vector<Bytes> given_places, const Type& type) {
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto me = static_cast<std::size_t>(call.rank());
    auto& blocks = call.keep(AllBlocks{std::move(given_counts), std::move(given_places), {}, {}});
    const auto& [counts, places, lengths, offsets] = blocks;
    Bytes end = 0;
    Reach touched;
    for (std::size_t b = 0; b < counts.size(); ++b) {
        blocks.lengths.push_back(counts[b] * type.size);
        blocks.offsets.push_back(type.plain ? places[b] * type.extent : end);
        end += lengths.back();
        touched.add(reach(counts[b], type, places[b] * type.extent));
    }
    recvbuf = call.writable(recvbuf, touched, true);
    call.hold(type);
    std::byte* packed = nullptr;
    Layout layout;
    layout.output = bytes_at(recvbuf);
    if (!type.plain) {
        packed = call.room(end);
        layout.output = packed;
    }
    const auto user_block = [&blocks, recvbuf, extent = type.extent](std::size_t b) {
        return bytes_at(recvbuf, blocks.places[b] * extent);
    };
    layout.length = [&blocks](int block) {
        return blocks.lengths[static_cast<std::size_t>(block)];
    };
    layout.output_offset = [&blocks](int block) {
        return blocks.offsets[static_cast<std::size_t>(block)];
    };
    if (in_place) {
        if (packed)
            call.fill(type,
                      [=, &call, own = user_block(me), count = counts[me],
                       to = packed + offsets[me]] { pack(own, count, type, to, call.comm()); });
        layout.input = layout.output;
        layout.input_offset = layout.output_offset;
    } else {
        layout.input = OwnBlock(sendbuf, sendcount, Type(sendtype), call).data;
        layout.input_offset = [](int) { return Bytes{0}; };
    }
    if (!packed) return call.run(std::move(layout), 0);
    call.run(std::move(layout), 0, [=, &call, &blocks] {
        for (std::size_t b = 0; b < blocks.counts.size(); ++b)
            if (!in_place || b != me)
                unpack(packed + blocks.offsets[b], user_block(b), blocks.counts[b], type,
                       call.comm());
    });
}

template <typename Count, typename NativeCall>
int allgather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Caller caller,
              NativeCall run_native) {
    return run_call(Operation::allgather, comm, caller, run_native, [&](Call& call) {
        if (recvcount <= 0 || !is_type(recvtype)) return false;
        if (sendbuf != MPI_IN_PLACE && (sendcount < 0 || !is_type(sendtype))) return false;
        const Type type(recvtype);
        const Bytes bytes = static_cast<Bytes>(recvcount) * type.size;
        if (bytes == 0 || !call.takes(bytes)) return false;
        std::vector<Bytes> counts(static_cast<std::size_t>(call.size()), recvcount);
        std::vector<Bytes> places;
        for (int b = 0; b < call.size(); ++b) places.push_back(b * static_cast<Bytes>(recvcount));
        allgather_blocks(call, sendbuf, sendcount, sendtype, recvbuf, std::move(counts),
                         std::move(places), type);
        return true;
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int allgatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,
               MPI_Comm comm, Caller caller, NativeCall run_native) {
    return run_call(Operation::allgatherv, comm, caller, run_native, [&](Call& call) {
        if (!is_type(recvtype)) return false;
        if (sendbuf != MPI_IN_PLACE && (sendcount < 0 || !is_type(sendtype))) return false;
        const Type type(recvtype);
        std::vector<Bytes> counts(recvcounts, recvcounts + call.size());
        Bytes elements = 0;
        for (const Bytes count : counts) elements += count;
        // The mean block, which is what an allgather of this size would have.
        const Bytes total = elements * type.size, bytes = (total + call.size() - 1) / call.size();
        if (total == 0 || !call.takes(bytes)) return false;
        allgather_blocks(call, sendbuf, sendcount, sendtype, recvbuf, std::move(counts),
                         std::vector<Bytes>(displs, displs + call.size()), type);
        return true;
    });
}

// One side of an all-to-all: for each peer where its block is, how many elements, of which type.
struct Side {
    struct Block {
        std::byte* data;
        Bytes count;
        const Type* type;
        Bytes length, offset;
    };
    std::vector<Block> blocks;
    std::vector<Type> types;
    std::byte* base = nullptr;
    std::byte* packed = nullptr;
    MPI_Comm comm;

    // To where the host may touch what the blocks are of.
    template <typename Stand>
    void move(const void*& buffer, Stand stand_in) {
        Reach all;
        for (const Block& block : blocks)
            all.add(reach(block.count, *block.type, block.data - bytes_at(buffer)));
        const void* other = stand_in(all);
        for (Block& block : blocks) block.data = bytes_at(other, block.data - bytes_at(buffer));
        buffer = other;
    }

    // Their types are needed until the end.
    void hold(Call& call) const {
        for (const Type& type : types) call.hold(type);
    }

    // copied: even plain blocks are copied, because the buffer is written meanwhile.
    void settle(Call& call, const void* buffer, bool copied) {
        bool plain = !copied;
        Bytes end = 0;
        for (Block& block : blocks) {
            plain = plain && block.type->plain;
            block.length = block.count * block.type->size;
            end += block.length;
        }
        base = bytes_at(buffer);
        if (!plain) {
            packed = call.room(end);
            base = packed;
        }
        end = 0;
        for (Block& block : blocks) {
            block.offset = plain ? block.data - base : end;
            end += block.length;
        }
    }
    void pack_all() {
        for (const Block& block : blocks)
            if (packed) pack(block.data, block.count, *block.type, base + block.offset, comm);
    }
    void unpack_all() {
        for (const Block& block : blocks)
            if (packed) unpack(base + block.offset, block.data, block.count, *block.type, comm);
    }
};

// place: of a peer's block, in bytes from the buffer's start.
template <typename CountOf, typename PlaceOf>
Side one_type(int ranks, const void* buffer, MPI_Datatype datatype, MPI_Comm comm, CountOf count,
              PlaceOf place) {
    Side side;
    side.comm = comm;
    side.types.emplace_back(datatype);
    const Type* type = side.types.data();
    for (int peer = 0; peer < ranks; ++peer)
        side.blocks.push_back(
            {bytes_at(buffer, place(peer) * type->extent), count(peer), type, 0, 0});
    return side;
}

template <typename CountOf, typename PlaceOf>
Side many_types(int ranks, const void* buffer, const MPI_Datatype* datatypes, MPI_Comm comm,
                CountOf count, PlaceOf place) {
    Side side;
    side.comm = comm;
    // The type of an empty block may be none.
    for (int peer = 0; peer < ranks; ++peer)
        side.types.emplace_back(count(peer) > 0 ? datatypes[peer] : native().byte);
    for (int peer = 0; peer < ranks; ++peer)
        side.blocks.push_back({bytes_at(buffer, place(peer)), count(peer),
                               &side.types[static_cast<std::size_t>(peer)], 0, 0});
    return side;
}

// Both sides are kept by the call. block_bytes: of every block, or -1 where only its two ends know.
void exchange(Call& call, Side& from, const void* sendbuf, Side& to, void* recvbuf, bool in_place,
              Bytes block_bytes) {
    const void *source = in_place ? recvbuf : sendbuf, *target = recvbuf;
    from.move(source, [&](Reach all) { return call.readable(source, all); });
    to.move(target, [&](Reach all) { return call.writable(recvbuf, all, true); });
    from.settle(call, source, in_place);
    to.settle(call, target, false);
    to.hold(call);
    if (call.persists()) from.hold(call);
    call.fill([&from] { from.pack_all(); });
    if (block_bytes < 0)
        call.fill([&to] { to.pack_all(); });  // less may come than there is room for
    const int ranks = call.size(), me = call.rank();
    Layout layout;
    layout.input = from.base;
    layout.output = to.base;
    layout.length = [&from, &to, ranks, me, block_bytes](int block) {
        if (block_bytes >= 0) return block_bytes;
        return block / ranks == me ? from.blocks[static_cast<std::size_t>(block % ranks)].length
                                   : to.blocks[static_cast<std::size_t>(block / ranks)].length;
    };
    layout.input_offset = [&from, ranks](int block) {
        return from.blocks[static_cast<std::size_t>(block % ranks)].offset;
    };
    layout.output_offset = [&to, ranks](int block) {
        return to.blocks[static_cast<std::size_t>(block / ranks)].offset;
    };
    call.run(std::move(layout), 0, [&to] { to.unpack_all(); });
}

template <typename Count, typename NativeCall>
int alltoall(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Caller caller,
             NativeCall run_native) {
    return run_call(Operation::alltoall, comm, caller, run_native, [&](Call& call) {
        if (recvcount <= 0 || !is_type(recvtype)) return false;
        if (sendbuf != MPI_IN_PLACE && (sendcount < 0 || !is_type(sendtype))) return false;
        const Bytes bytes = static_cast<Bytes>(recvcount) * Type(recvtype).size;
        if (bytes == 0 || !call.takes(bytes)) return false;
        const bool in_place = sendbuf == MPI_IN_PLACE;
        const auto equal = [&](const void* buffer, Count count, MPI_Datatype type) {
            return one_type(
                call.size(), buffer, type, call.comm(),
                [=](int) { return static_cast<Bytes>(count); },
                [=](int peer) { return peer * static_cast<Bytes>(count); });
        };
        Side& from = call.keep(in_place ? equal(recvbuf, recvcount, recvtype)
                                        : equal(sendbuf, sendcount, sendtype));
        Side& to = call.keep(equal(recvbuf, recvcount, recvtype));
        exchange(call, from, sendbuf, to, recvbuf, in_place, bytes);
        return true;
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int alltoallv(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
              MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts,
              const Displacement* rdispls, MPI_Datatype recvtype, MPI_Comm comm, Caller caller,
              NativeCall run_native) {
    return run_call(Operation::alltoallv, comm, caller, run_native, [&](Call& call) {
        if (!call.takes(-1)) return false;
        const bool in_place = sendbuf == MPI_IN_PLACE;
        const auto given = [&](const void* buffer, const Count* counts, const Displacement* places,
                               MPI_Datatype type) {
            return one_type(
                call.size(), buffer, type, call.comm(),
                [=](int peer) { return static_cast<Bytes>(counts[peer]); },
                [=](int peer) { return static_cast<Bytes>(places[peer]); });
        };
        Side& from = call.keep(in_place ? given(recvbuf, recvcounts, rdispls, recvtype)
                                        : given(sendbuf, sendcounts, sdispls, sendtype));
        Side& to = call.keep(given(recvbuf, recvcounts, rdispls, recvtype));
        exchange(call, from, sendbuf, to, recvbuf, in_place, -1);
        return true;
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int alltoallw(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
              const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts,
              const Displacement* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
              Caller caller, NativeCall run_native) {
    return run_call(Operation::alltoallw, comm, caller, run_native, [&](Call& call) {
        if (!call.takes(-1)) return false;
        const bool in_place = sendbuf == MPI_IN_PLACE;
        const auto given = [&](const void* buffer, const Count* counts, const Displacement* places,
                               const MPI_Datatype* types) {
            return many_types(
                call.size(), buffer, types, call.comm(),
                [=](int peer) { return static_cast<Bytes>(counts[peer]); },
                [=](int peer) { return static_cast<Bytes>(places[peer]); });
        };
        Side& from = call.keep(in_place ? given(recvbuf, recvcounts, rdispls, recvtypes)
                                        : given(sendbuf, sendcounts, sdispls, sendtypes));
        Side& to = call.keep(given(recvbuf, recvcounts, rdispls, recvtypes));
        exchange(call, from, sendbuf, to, recvbuf, in_place, -1);
        return true;
    });
}

}  // namespace

}  // namespace eco

ECO_FORMS(, Barrier, Ibarrier, eco::barrier, (comm), (MPI_Comm comm), (comm))

// Each function and its large-count twin.
#define ECO_DEFINE(suffix, Count, Displacement)                                                    \
    ECO_FORMS(suffix, Allgather, Iallgather, eco::allgather,                                       \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),                  \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,         \
               Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),                             \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))                  \
    ECO_FORMS(suffix, Allgatherv, Iallgatherv, eco::allgatherv,                                    \
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),         \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,         \
               const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,         \
               MPI_Comm comm),                                                                     \
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))         \
    ECO_FORMS(suffix, Alltoall, Ialltoall, eco::alltoall,                                          \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),                  \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,         \
               Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),                             \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))                  \
    ECO_FORMS(                                                                                     \
        suffix, Alltoallv, Ialltoallv, eco::alltoallv,                                             \
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),    \
        (const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,                \
         MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts,                            \
         const Displacement* rdispls, MPI_Datatype recvtype, MPI_Comm comm),                       \
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))    \
    ECO_FORMS(                                                                                     \
        suffix, Alltoallw, Ialltoallw, eco::alltoallw,                                             \
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm),  \
        (const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,                \
         const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts,                    \
         const Displacement* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm),               \
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))

ECO_DEFINE(, int, int)
#if ECO_HAS_COUNT
ECO_DEFINE(_c, MPI_Count, MPI_Aint)
#endif
#undef ECO_DEFINE
