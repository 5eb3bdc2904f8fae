// Barrier, allgather and all-to-all.
#include <vector>

#include "eco/interpose/call.h"
#include "eco/interpose/wrappers.h"

namespace eco {

namespace {

template <typename NativeCall>
int barrier(MPI_Comm comm, const void* site, NativeCall run_native) {
    Call call(Operation::barrier, comm, site);
    if (!call || !call.takes(0)) return run_native();
    return call.guard([&] {
        std::byte nothing{};
        Layout layout;
        layout.input = layout.output = &nothing;
        call.run(layout);
    });
}

// One block of the caller's own, or what stands for it packed.
struct OwnBlock {
    OwnBlock(const void* buffer, Bytes count, const Type& type, MPI_Comm comm) {
        data = bytes_at(buffer);
        if (type.plain) return;
        packed = allocate(count * type.size);
        pack(buffer, count, type, packed.get(), comm);
        data = packed.get();
    }
    std::byte* data;
    Storage packed;
};

// counts and places (elements) of every rank's block in recvbuf; lengths are the same everywhere.
void allgather_blocks(Call& call, const void* sendbuf, Bytes sendcount, MPI_Datatype sendtype,
                      void* recvbuf, const std::vector<Bytes>& counts,
                      const std::vector<Bytes>& places, const Type& type) {
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto me = static_cast<std::size_t>(call.rank());
    std::vector<Bytes> lengths, offsets;
    Bytes end = 0;
    for (std::size_t b = 0; b < counts.size(); ++b) {
        lengths.push_back(counts[b] * type.size);
        offsets.push_back(type.plain ? places[b] * type.extent : end);
        end += lengths.back();
    }
    Storage packed, own_packed;
    Layout layout;
    layout.output = bytes_at(recvbuf);
    if (!type.plain) {
        packed = allocate(end);
        layout.output = packed.get();
    }
    const auto user_block = [&](std::size_t b) {
        return bytes_at(recvbuf, places[b] * type.extent);
    };
    layout.length = [&](int block) { return lengths[static_cast<std::size_t>(block)]; };
    layout.output_offset = [&](int block) { return offsets[static_cast<std::size_t>(block)]; };
    if (in_place) {
        if (packed) pack(user_block(me), counts[me], type, packed.get() + offsets[me], call.comm());
        layout.input = layout.output;
        layout.input_offset = layout.output_offset;
    } else {
        OwnBlock own(sendbuf, sendcount, Type(sendtype), call.comm());
        own_packed = std::move(own.packed);
        layout.input = own.data;
        layout.input_offset = [](int) { return Bytes{0}; };
    }
    call.run(layout);
    for (std::size_t b = 0; packed && b < counts.size(); ++b)
        if (!in_place || b != me)
            unpack(packed.get() + offsets[b], user_block(b), counts[b], type, call.comm());
}

template <typename Count, typename NativeCall>
int allgather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, const void* site,
              NativeCall run_native) {
    Call call(Operation::allgather, comm, site);
    if (!call || recvcount <= 0 || !is_type(recvtype)) return run_native();
    if (sendbuf != MPI_IN_PLACE && (sendcount < 0 || !is_type(sendtype))) return run_native();
    const Type type(recvtype);
    const Bytes bytes = static_cast<Bytes>(recvcount) * type.size;
    if (bytes == 0 || !call.takes(bytes)) return run_native();
    return call.guard([&] {
        const std::vector<Bytes> counts(static_cast<std::size_t>(call.size()), recvcount);
        std::vector<Bytes> places;
        for (int b = 0; b < call.size(); ++b) places.push_back(b * static_cast<Bytes>(recvcount));
        allgather_blocks(call, sendbuf, sendcount, sendtype, recvbuf, counts, places, type);
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int allgatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,
               MPI_Comm comm, const void* site, NativeCall run_native) {
    Call call(Operation::allgatherv, comm, site);
    if (!call || !is_type(recvtype)) return run_native();
    if (sendbuf != MPI_IN_PLACE && (sendcount < 0 || !is_type(sendtype))) return run_native();
    const Type type(recvtype);
    const std::vector<Bytes> counts(recvcounts, recvcounts + call.size());
    Bytes elements = 0;
    for (const Bytes count : counts) elements += count;
    // The mean block, which is what an allgather of this size would have.
    const Bytes total = elements * type.size, bytes = (total + call.size() - 1) / call.size();
    if (total == 0 || !call.takes(bytes)) return run_native();
    return call.guard([&] {
        allgather_blocks(call, sendbuf, sendcount, sendtype, recvbuf, counts,
                         std::vector<Bytes>(displs, displs + call.size()), type);
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
    Storage packed;
    MPI_Comm comm;

    // copied: even plain blocks are copied, because the buffer is written meanwhile.
    void settle(const void* buffer, bool copied) {
        bool plain = !copied;
        Bytes end = 0;
        for (Block& block : blocks) {
            plain = plain && block.type->plain;
            block.length = block.count * block.type->size;
            end += block.length;
        }
        base = bytes_at(buffer);
        if (!plain) {
            packed = allocate(end);
            base = packed.get();
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

// block_bytes: of every block, or -1 where only its two ends know.
void exchange(Call& call, Side& from, const void* sendbuf, Side& to, void* recvbuf, bool in_place,
              Bytes block_bytes) {
    from.settle(in_place ? recvbuf : sendbuf, in_place);
    to.settle(recvbuf, false);
    from.pack_all();
    if (block_bytes < 0) to.pack_all();  // less may come than there is room for
    const int ranks = call.size(), me = call.rank();
    Layout layout;
    layout.input = from.base;
    layout.output = to.base;
    layout.length = [&](int block) {
        if (block_bytes >= 0) return block_bytes;
        return block / ranks == me ? from.blocks[static_cast<std::size_t>(block % ranks)].length
                                   : to.blocks[static_cast<std::size_t>(block / ranks)].length;
    };
    layout.input_offset = [&](int block) {
        return from.blocks[static_cast<std::size_t>(block % ranks)].offset;
    };
    layout.output_offset = [&](int block) {
        return to.blocks[static_cast<std::size_t>(block / ranks)].offset;
    };
    call.run(layout);
    to.unpack_all();
}

template <typename Count, typename NativeCall>
int alltoall(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, const void* site,
             NativeCall run_native) {
    Call call(Operation::alltoall, comm, site);
    if (!call || recvcount <= 0 || !is_type(recvtype)) return run_native();
    if (sendbuf != MPI_IN_PLACE && (sendcount < 0 || !is_type(sendtype))) return run_native();
    const Bytes bytes = static_cast<Bytes>(recvcount) * Type(recvtype).size;
    if (bytes == 0 || !call.takes(bytes)) return run_native();
    return call.guard([&] {
        const bool in_place = sendbuf == MPI_IN_PLACE;
        const auto equal = [&](const void* buffer, Count count, MPI_Datatype type) {
            return one_type(
                call.size(), buffer, type, comm, [=](int) { return static_cast<Bytes>(count); },
                [=](int peer) { return peer * static_cast<Bytes>(count); });
        };
        Side from =
            in_place ? equal(recvbuf, recvcount, recvtype) : equal(sendbuf, sendcount, sendtype);
        Side to = equal(recvbuf, recvcount, recvtype);
        exchange(call, from, sendbuf, to, recvbuf, in_place, bytes);
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int alltoallv(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
              MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts,
              const Displacement* rdispls, MPI_Datatype recvtype, MPI_Comm comm, const void* site,
              NativeCall run_native) {
    Call call(Operation::alltoallv, comm, site);
    if (!call || !call.takes(-1)) return run_native();
    return call.guard([&] {
        const bool in_place = sendbuf == MPI_IN_PLACE;
        const auto given = [&](const void* buffer, const Count* counts, const Displacement* places,
                               MPI_Datatype type) {
            return one_type(
                call.size(), buffer, type, comm,
                [=](int peer) { return static_cast<Bytes>(counts[peer]); },
                [=](int peer) { return static_cast<Bytes>(places[peer]); });
        };
        Side from = in_place ? given(recvbuf, recvcounts, rdispls, recvtype)
                             : given(sendbuf, sendcounts, sdispls, sendtype);
        Side to = given(recvbuf, recvcounts, rdispls, recvtype);
        exchange(call, from, sendbuf, to, recvbuf, in_place, -1);
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int alltoallw(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
              const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts,
              const Displacement* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
              const void* site, NativeCall run_native) {
    Call call(Operation::alltoallw, comm, site);
    if (!call || !call.takes(-1)) return run_native();
    return call.guard([&] {
        const bool in_place = sendbuf == MPI_IN_PLACE;
        const auto given = [&](const void* buffer, const Count* counts, const Displacement* places,
                               const MPI_Datatype* types) {
            return many_types(
                call.size(), buffer, types, comm,
                [=](int peer) { return static_cast<Bytes>(counts[peer]); },
                [=](int peer) { return static_cast<Bytes>(places[peer]); });
        };
        Side from = in_place ? given(recvbuf, recvcounts, rdispls, recvtypes)
                             : given(sendbuf, sendcounts, sdispls, sendtypes);
        Side to = given(recvbuf, recvcounts, rdispls, recvtypes);
        exchange(call, from, sendbuf, to, recvbuf, in_place, -1);
    });
}

}  // namespace

}  // namespace eco

int eco_Barrier(MPI_Comm comm) {
    return eco::barrier(comm, ECO_SITE, [&] { return eco::native().Barrier(comm); });
}

// Each function and its large-count twin.
#define ECO_DEFINE(suffix, Count, Displacement)                                                    \
    int eco_Allgather##suffix(const void* sendbuf, Count sendcount, MPI_Datatype sendtype,         \
                              void* recvbuf, Count recvcount, MPI_Datatype recvtype,               \
                              MPI_Comm comm) {                                                     \
        return eco::allgather(                                                                     \
            sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ECO_SITE, [&] {      \
                return eco::native().Allgather##suffix(sendbuf, sendcount, sendtype, recvbuf,      \
                                                       recvcount, recvtype, comm);                 \
            });                                                                                    \
    }                                                                                              \
    int eco_Allgatherv##suffix(const void* sendbuf, Count sendcount, MPI_Datatype sendtype,        \
                               void* recvbuf, const Count* recvcounts, const Displacement* displs, \
                               MPI_Datatype recvtype, MPI_Comm comm) {                             \
        return eco::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,          \
                               recvtype, comm, ECO_SITE, [&] {                                     \
                                   return eco::native().Allgatherv##suffix(                        \
                                       sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,  \
                                       recvtype, comm);                                            \
                               });                                                                 \
    }                                                                                              \
    int eco_Alltoall##suffix(const void* sendbuf, Count sendcount, MPI_Datatype sendtype,          \
                             void* recvbuf, Count recvcount, MPI_Datatype recvtype,                \
                             MPI_Comm comm) {                                                      \
        return eco::alltoall(                                                                      \
            sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ECO_SITE, [&] {      \
                return eco::native().Alltoall##suffix(sendbuf, sendcount, sendtype, recvbuf,       \
                                                      recvcount, recvtype, comm);                  \
            });                                                                                    \
    }                                                                                              \
    int eco_Alltoallv##suffix(const void* sendbuf, const Count* sendcounts,                        \
                              const Displacement* sdispls, MPI_Datatype sendtype, void* recvbuf,   \
                              const Count* recvcounts, const Displacement* rdispls,                \
                              MPI_Datatype recvtype, MPI_Comm comm) {                              \
        return eco::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,         \
                              rdispls, recvtype, comm, ECO_SITE, [&] {                             \
                                  return eco::native().Alltoallv##suffix(                          \
                                      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, \
                                      rdispls, recvtype, comm);                                    \
                              });                                                                  \
    }                                                                                              \
    int eco_Alltoallw##suffix(const void* sendbuf, const Count* sendcounts,                        \
                              const Displacement* sdispls, const MPI_Datatype* sendtypes,          \
                              void* recvbuf, const Count* recvcounts, const Displacement* rdispls, \
                              const MPI_Datatype* recvtypes, MPI_Comm comm) {                      \
        return eco::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,        \
                              rdispls, recvtypes, comm, ECO_SITE, [&] {                            \
                                  return eco::native().Alltoallw##suffix(                          \
                                      sendbuf, sendcounts, sdispls, sendtypes, recvbuf,            \
                                      recvcounts, rdispls, recvtypes, comm);                       \
                              });                                                                  \
    }

ECO_DEFINE(, int, int)
#if ECO_HAS_COUNT
ECO_DEFINE(_c, MPI_Count, MPI_Aint)
#endif
#undef ECO_DEFINE
