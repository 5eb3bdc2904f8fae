// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/datatype.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "eco/mpi/mpi_transport.h"
#include "eco/mpi/own_self.h"

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

// MPI has no function that tells, but MPI_Pack refuses a type that is not committed.
static bool is_committed(MPI_Datatype handle) {
    std::byte nothing{};
    int position = 0;
    return native().Pack(&nothing, 0, handle, &nothing, 0, &position, own_self()) == MPI_SUCCESS;
}

bool is_type(MPI_Datatype handle) {
    if (handle == native().datatype_null) return false;
    return Type(handle).predefined || is_committed(handle);
}

// Of a buffer, in one call of MPI's; far below what an int counts.
static constexpr Bytes most_at_once = Bytes{1} << 30;

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
    return std::max<Bytes>(1, most_at_once / std::max<Bytes>(1, type.size));
}

namespace {

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

// Bytes in a row as one element of one type, for calls that count in ints.
class LongBytes {
public:
    explicit LongBytes(Bytes bytes) {
        std::vector<int> lengths;
        std::vector<MPI_Aint> places;
        for (Bytes done = 0; done < bytes; done += most_at_once) {
            lengths.push_back(static_cast<int>(std::min(most_at_once, bytes - done)));
            places.push_back(static_cast<MPI_Aint>(done));
        }
        check_mpi(native().Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                                places.data(), native().byte, &type));
        check_mpi(native().Type_commit(&type));
    }
    ~LongBytes() { native().Type_free(&type); }
    LongBytes(const LongBytes&) = delete;
    LongBytes& operator=(const LongBytes&) = delete;

    MPI_Datatype type{};
};

// Some of a buffer's elements, as MPI's functions take them.
struct Part {
    Part(const void* user, Bytes done, Bytes now, const Type& element)
        : start(bytes_at(user, done * element.extent)),
          count(static_cast<int>(now)),
          type(element.handle),
          bytes(now * element.size) {
        if (start) return;
        bottom.emplace(count, type);
        start = reinterpret_cast<std::byte*>(FromBottom::address);
        count = 1;
        type = bottom->shifted;
    }
    bool is_long() const { return bytes > std::numeric_limits<int>::max(); }

    std::byte* start;
    int count;
    MPI_Datatype type;
    Bytes bytes;
    std::optional<FromBottom> bottom;
};

}  // namespace

// What MPI_Pack does, for one element that is longer than it counts: a collective of this rank
// alone copies it, in all libraries without a message.
static void copy_long(const void* from, MPI_Datatype from_type, void* to, MPI_Datatype to_type) {
    check_mpi(native().Gather(from, 1, from_type, to, 1, to_type, 0, own_self()));
}

void pack(const void* user, Bytes count, const Type& type, std::byte* to, MPI_Comm comm) {
    const Bytes most = elements_at_once(type);
    for (Bytes done = 0; done < count; done += most) {
        const Part part(user, done, std::min(most, count - done), type);
        std::byte* packed = to + done * type.size;
        int position = 0;
        if (part.is_long())
            copy_long(part.start, part.type, packed, LongBytes(part.bytes).type);
        else
            check_mpi(native().Pack(part.start, part.count, part.type, packed,
                                    static_cast<int>(part.bytes), &position, comm));
    }
}

void unpack(const std::byte* from, void* user, Bytes count, const Type& type, MPI_Comm comm) {
    const Bytes most = elements_at_once(type);
    for (Bytes done = 0; done < count; done += most) {
        const Part part(user, done, std::min(most, count - done), type);
        const std::byte* packed = from + done * type.size;
        int position = 0;
        if (part.is_long())
            copy_long(packed, LongBytes(part.bytes).type, part.start, part.type);
        else
            check_mpi(native().Unpack(packed, static_cast<int>(part.bytes), &position, part.start,
                                      part.count, part.type, comm));
    }
}

}  // namespace eco
