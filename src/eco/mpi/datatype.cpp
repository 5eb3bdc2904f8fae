// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/datatype.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "eco/mpi/mpi_transport.h"

namespace eco {

// A type that was made with large counts answers only the function for those.
static int combiner_of(MPI_Datatype datatype, int& combiner) {
#if ECO_HAS_COUNT
    if (native().Type_get_envelope_c) {
        MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
        return native().Type_get_envelope_c(datatype, &integers, &addresses, &counts, &types,
                                            &combiner);
    }
#endif
    int integers = 0, addresses = 0, types = 0;
    return native().Type_get_envelope(datatype, &integers, &addresses, &types, &combiner);
}

Type::Type(MPI_Datatype datatype) : handle(datatype) {
    // The library is asked in four calls; most calls of a program have the same predefined type.
    static thread_local Type last;
    if (last.predefined && last.handle == datatype) {
        *this = last;
        return;
    }
    ask_library();
    if (predefined) last = *this;
}

void Type::ask_library() {
    const Native& mpi = native();
    MPI_Count bytes = 0;
    MPI_Aint lb = 0, stretch = 0, first = 0, true_stretch = 0;
    int combiner = 0;
    if (mpi.Type_size_x(handle, &bytes) != MPI_SUCCESS ||
        mpi.Type_get_extent(handle, &lb, &stretch) != MPI_SUCCESS ||
        mpi.Type_get_true_extent(handle, &first, &true_stretch) != MPI_SUCCESS ||
        combiner_of(handle, combiner) != MPI_SUCCESS)
        return;
    size = bytes;
    extent = stretch;
    true_lb = first;
    true_extent = true_stretch;
    predefined = combiner == MPI_COMBINER_NAMED;
    // A derived type may hold its parts in another order than memory does.
    plain = predefined && lb == 0 && first == 0 && size == extent && size == true_extent;
}

Reach reach(Bytes count, const Type& type, Bytes offset) {
    if (count <= 0) return {};
    const Bytes last = (count - 1) * type.extent;
    return {offset + std::min<Bytes>(last, 0) + type.true_lb, std::abs(last) + type.true_extent};
}

Storage allocate(Bytes bytes) {
    return Storage(new std::byte[static_cast<std::size_t>(std::max<Bytes>(bytes, 1))]);
}

// How many elements go through one call of MPI_Pack, whose sizes are ints.
static Bytes elements_at_once(const Type& type) {
    return std::max<Bytes>(1, (Bytes{1} << 30) / std::max<Bytes>(1, type.size));
}

// MPI_Pack and MPI_Unpack of some versions refuse MPI_BOTTOM, which is null: the same elements,
// told from another address.
class FromBottom {
public:
    FromBottom(int count, MPI_Datatype type) {
        const MPI_Aint back = -static_cast<MPI_Aint>(address);
        check_mpi(native().Type_create_hindexed(1, &count, &back, type, &shifted));
        check_mpi(native().Type_commit(&shifted));
    }
    ~FromBottom() { native().Type_free(&shifted); }
    FromBottom(const FromBottom&) = delete;
    FromBottom& operator=(const FromBottom&) = delete;

    static constexpr std::uintptr_t address = 4096;
    MPI_Datatype shifted{};
};

void pack(const void* user, Bytes count, const Type& type, std::byte* to, MPI_Comm comm) {
    const Bytes most = elements_at_once(type);
    for (Bytes done = 0; done < count; done += most) {
        const Bytes now = std::min(most, count - done);
        int position = 0;
        if (!user && done == 0 && now == count) {
            const FromBottom bottom(static_cast<int>(now), type.handle);
            check_mpi(native().Pack(reinterpret_cast<void*>(FromBottom::address), 1, bottom.shifted,
                                    to, static_cast<int>(now * type.size), &position, comm));
            return;
        }
        check_mpi(native().Pack(bytes_at(user, done * type.extent), static_cast<int>(now),
                                type.handle, to + done * type.size,
                                static_cast<int>(now * type.size), &position, comm));
    }
}

void unpack(const std::byte* from, void* user, Bytes count, const Type& type, MPI_Comm comm) {
    const Bytes most = elements_at_once(type);
    for (Bytes done = 0; done < count; done += most) {
        const Bytes now = std::min(most, count - done);
        int position = 0;
        if (!user && done == 0 && now == count) {
            const FromBottom bottom(static_cast<int>(now), type.handle);
            check_mpi(native().Unpack(from, static_cast<int>(now * type.size), &position,
                                      reinterpret_cast<void*>(FromBottom::address), 1,
                                      bottom.shifted, comm));
            return;
        }
        check_mpi(native().Unpack(from + done * type.size, static_cast<int>(now * type.size),
                                  &position, bytes_at(user, done * type.extent),
                                  static_cast<int>(now), type.handle, comm));
    }
}

}  // namespace eco
