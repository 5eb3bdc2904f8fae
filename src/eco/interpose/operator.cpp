#include "eco/interpose/operator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#include "eco/interpose/quiet.h"

namespace eco {

bool commutes(MPI_Op op) {
    int commutative = 0;
    return native().Op_commutative(op, &commutative) == MPI_SUCCESS && commutative != 0;
}

static bool is_predefined(MPI_Op op) {
    static const std::array<MPI_Op, 14> predefined{
        ECO_HANDLE(MPI_Op, MPI_SUM, "ompi_mpi_op_sum"),
        ECO_HANDLE(MPI_Op, MPI_PROD, "ompi_mpi_op_prod"),
        ECO_HANDLE(MPI_Op, MPI_MAX, "ompi_mpi_op_max"),
        ECO_HANDLE(MPI_Op, MPI_MIN, "ompi_mpi_op_min"),
        ECO_HANDLE(MPI_Op, MPI_LAND, "ompi_mpi_op_land"),
        ECO_HANDLE(MPI_Op, MPI_BAND, "ompi_mpi_op_band"),
        ECO_HANDLE(MPI_Op, MPI_LOR, "ompi_mpi_op_lor"),
        ECO_HANDLE(MPI_Op, MPI_BOR, "ompi_mpi_op_bor"),
        ECO_HANDLE(MPI_Op, MPI_LXOR, "ompi_mpi_op_lxor"),
        ECO_HANDLE(MPI_Op, MPI_BXOR, "ompi_mpi_op_bxor"),
        ECO_HANDLE(MPI_Op, MPI_MAXLOC, "ompi_mpi_op_maxloc"),
        ECO_HANDLE(MPI_Op, MPI_MINLOC, "ompi_mpi_op_minloc"),
        ECO_HANDLE(MPI_Op, MPI_REPLACE, "ompi_mpi_op_replace"),
        ECO_HANDLE(MPI_Op, MPI_NO_OP, "ompi_mpi_op_no_op")};
    return std::find(predefined.begin(), predefined.end(), op) != predefined.end();
}

// Combines one element for trial, with errors of no communicator returned instead of fatal.
static bool try_out(MPI_Op op, const Type& type) {
    const Native& mpi = native();
    alignas(64) std::array<std::byte, 128> a{}, b{};
    if (type.extent > static_cast<Bytes>(a.size())) return false;
    const Quiet world(mpi.comm_world), self(mpi.comm_self);
    return mpi.Reduce_local(a.data(), b.data(), 1, type.handle, op) == MPI_SUCCESS;
}

// In integers −1 + 1 is 0; the same bits as floating-point numbers are no number.
static bool is_integer(const Type& type) {
    if (!type.predefined || type.size != type.extent || type.size > 8) return false;
    std::array<std::byte, 8> minus_one{}, one{};
    minus_one.fill(std::byte{0xff});
    const std::uint64_t value = 1;
    const bool little = std::endian::native == std::endian::little;
    const auto size = static_cast<std::size_t>(type.size);
    std::memcpy(one.data(),
                reinterpret_cast<const std::byte*>(&value) + (little ? 0 : sizeof value - size),
                size);
    const MPI_Op sum = native().sum;
    const Quiet world(native().comm_world), self(native().comm_self);
    if (native().Reduce_local(minus_one.data(), one.data(), 1, type.handle, sum) != MPI_SUCCESS)
        return false;
    return std::all_of(one.begin(), one.begin() + type.size,
                       [](std::byte each) { return each == std::byte{0}; });
}

bool any_order(MPI_Op op, const Type& type) {
    static const std::array<MPI_Op, 8> always{ECO_HANDLE(MPI_Op, MPI_MAX, "ompi_mpi_op_max"),
                                              ECO_HANDLE(MPI_Op, MPI_MIN, "ompi_mpi_op_min"),
                                              ECO_HANDLE(MPI_Op, MPI_LAND, "ompi_mpi_op_land"),
                                              ECO_HANDLE(MPI_Op, MPI_BAND, "ompi_mpi_op_band"),
                                              ECO_HANDLE(MPI_Op, MPI_LOR, "ompi_mpi_op_lor"),
                                              ECO_HANDLE(MPI_Op, MPI_BOR, "ompi_mpi_op_bor"),
                                              ECO_HANDLE(MPI_Op, MPI_LXOR, "ompi_mpi_op_lxor"),
                                              ECO_HANDLE(MPI_Op, MPI_BXOR, "ompi_mpi_op_bxor")};
    if (std::find(always.begin(), always.end(), op) != always.end()) return true;
    static const std::array<MPI_Op, 2> of_integers{
        ECO_HANDLE(MPI_Op, MPI_SUM, "ompi_mpi_op_sum"),
        ECO_HANDLE(MPI_Op, MPI_PROD, "ompi_mpi_op_prod")};
    if (std::find(of_integers.begin(), of_integers.end(), op) == of_integers.end()) return false;
    static std::mutex mutex;
    static std::map<MPI_Datatype, bool> known;
    const std::lock_guard lock(mutex);
    const auto [found, fresh] = known.emplace(type.handle, false);
    if (fresh) found->second = is_integer(type);
    return found->second;
}

bool takes_type(MPI_Op op, const Type& type) {
    if (!is_predefined(op)) return true;
    if (!type.predefined) return false;
    static std::mutex mutex;
    static std::map<std::pair<MPI_Op, MPI_Datatype>, bool> known;
    const std::lock_guard lock(mutex);
    const auto [found, fresh] = known.emplace(std::pair{op, type.handle}, false);
    if (fresh) found->second = try_out(op, type);
    return found->second;
}

}  // namespace eco
