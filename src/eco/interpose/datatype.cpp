#include "eco/interpose/datatype.h"

#include <algorithm>

#include "eco/interpose/mpi_transport.h"

namespace eco {

Type::Type(MPI_Datatype datatype) : handle(datatype) {
    const Native& mpi = native();
    MPI_Count bytes = 0;
    MPI_Aint lb = 0, stretch = 0, first = 0, true_stretch = 0;
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    check_mpi(mpi.Type_size_x(datatype, &bytes));
    check_mpi(mpi.Type_get_extent(datatype, &lb, &stretch));
    check_mpi(mpi.Type_get_true_extent(datatype, &first, &true_stretch));
    check_mpi(mpi.Type_get_envelope(datatype, &integers, &addresses, &types, &combiner));
    size = bytes;
    extent = stretch;
    true_lb = first;
    true_extent = true_stretch;
    // A derived type may hold its parts in another order than memory does.
    predefined = combiner == MPI_COMBINER_NAMED;
    plain = predefined && lb == 0 && first == 0 && size == extent && size == true_extent;
}

Storage allocate(Bytes bytes) {
    return Storage(new std::byte[static_cast<std::size_t>(std::max<Bytes>(bytes, 1))]);
}

// How many elements go through one call of MPI_Pack, whose sizes are ints.
static Bytes elements_at_once(const Type& type) {
    return std::max<Bytes>(1, (Bytes{1} << 30) / std::max<Bytes>(1, type.size));
}

void pack(const void* user, Bytes count, const Type& type, std::byte* to, MPI_Comm comm) {
    const Bytes most = elements_at_once(type);
    for (Bytes done = 0; done < count; done += most) {
        const Bytes now = std::min(most, count - done);
        int position = 0;
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
        check_mpi(native().Unpack(from + done * type.size, static_cast<int>(now * type.size),
                                  &position, bytes_at(user, done * type.extent),
                                  static_cast<int>(now), type.handle, comm));
    }
}

}  // namespace eco
