// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/operator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#include "eco/mpi/quiet.h"

namespace eco {

bool commutes(MPI_Op op) {
    int commutative = 0;
    return native().Op_commutative(op, &commutative) == MPI_SUCCESS && commutative != 0;
}

namespace {

// What the order in which elements are combined may change: nothing, nothing of integers, the bits.
enum class Order { any, any_of_integers, matters };

struct Predefined {
    MPI_Op op;
    Order order;
};

}  // namespace

// Null for a user's operator.
static const Predefined* find_predefined(MPI_Op op) {
    using enum Order;
    static const std::array<Predefined, 14> predefined{
        {{ECO_HANDLE(MPI_Op, MPI_SUM, "ompi_mpi_op_sum"), any_of_integers},
         {ECO_HANDLE(MPI_Op, MPI_PROD, "ompi_mpi_op_prod"), any_of_integers},
         {ECO_HANDLE(MPI_Op, MPI_MAX, "ompi_mpi_op_max"), any_of_integers},
         {ECO_HANDLE(MPI_Op, MPI_MIN, "ompi_mpi_op_min"), any_of_integers},
         {ECO_HANDLE(MPI_Op, MPI_LAND, "ompi_mpi_op_land"), any},
         {ECO_HANDLE(MPI_Op, MPI_BAND, "ompi_mpi_op_band"), any},
         {ECO_HANDLE(MPI_Op, MPI_LOR, "ompi_mpi_op_lor"), any},
         {ECO_HANDLE(MPI_Op, MPI_BOR, "ompi_mpi_op_bor"), any},
         {ECO_HANDLE(MPI_Op, MPI_LXOR, "ompi_mpi_op_lxor"), any},
         {ECO_HANDLE(MPI_Op, MPI_BXOR, "ompi_mpi_op_bxor"), any},
         {ECO_HANDLE(MPI_Op, MPI_MAXLOC, "ompi_mpi_op_maxloc"), matters},
         {ECO_HANDLE(MPI_Op, MPI_MINLOC, "ompi_mpi_op_minloc"), matters},
         {ECO_HANDLE(MPI_Op, MPI_REPLACE, "ompi_mpi_op_replace"), matters},
         {ECO_HANDLE(MPI_Op, MPI_NO_OP, "ompi_mpi_op_no_op"), matters}}};
    const auto found = std::find_if(predefined.begin(), predefined.end(),
                                    [op](const Predefined& each) { return each.op == op; });
    return found == predefined.end() ? nullptr : &*found;
}

// C's usual numbers, which every library combines.
enum class Numbers { integers, floating, others };

static Numbers numbers_of(MPI_Datatype type) {
    static const std::array<MPI_Datatype, 18> integers{
        {ECO_HANDLE(MPI_Datatype, MPI_INT, "ompi_mpi_int"),
         ECO_HANDLE(MPI_Datatype, MPI_SIGNED_CHAR, "ompi_mpi_signed_char"),
         ECO_HANDLE(MPI_Datatype, MPI_UNSIGNED_CHAR, "ompi_mpi_unsigned_char"),
         ECO_HANDLE(MPI_Datatype, MPI_SHORT, "ompi_mpi_short"),
         ECO_HANDLE(MPI_Datatype, MPI_UNSIGNED_SHORT, "ompi_mpi_unsigned_short"),
         ECO_HANDLE(MPI_Datatype, MPI_UNSIGNED, "ompi_mpi_unsigned"),
         ECO_HANDLE(MPI_Datatype, MPI_LONG, "ompi_mpi_long"),
         ECO_HANDLE(MPI_Datatype, MPI_UNSIGNED_LONG, "ompi_mpi_unsigned_long"),
         ECO_HANDLE(MPI_Datatype, MPI_LONG_LONG, "ompi_mpi_long_long_int"),
         ECO_HANDLE(MPI_Datatype, MPI_UNSIGNED_LONG_LONG, "ompi_mpi_unsigned_long_long"),
         ECO_HANDLE(MPI_Datatype, MPI_INT8_T, "ompi_mpi_int8_t"),
         ECO_HANDLE(MPI_Datatype, MPI_INT16_T, "ompi_mpi_int16_t"),
         ECO_HANDLE(MPI_Datatype, MPI_INT32_T, "ompi_mpi_int32_t"),
         ECO_HANDLE(MPI_Datatype, MPI_INT64_T, "ompi_mpi_int64_t"),
         ECO_HANDLE(MPI_Datatype, MPI_UINT8_T, "ompi_mpi_uint8_t"),
         ECO_HANDLE(MPI_Datatype, MPI_UINT16_T, "ompi_mpi_uint16_t"),
         ECO_HANDLE(MPI_Datatype, MPI_UINT32_T, "ompi_mpi_uint32_t"),
         ECO_HANDLE(MPI_Datatype, MPI_UINT64_T, "ompi_mpi_uint64_t")}};
    static const std::array<MPI_Datatype, 2> floating{
        {ECO_HANDLE(MPI_Datatype, MPI_FLOAT, "ompi_mpi_float"),
         ECO_HANDLE(MPI_Datatype, MPI_DOUBLE, "ompi_mpi_double")}};
    const auto is_of = [type](const auto& types) {
        return std::find(types.begin(), types.end(), type) != types.end();
    };
    if (is_of(integers)) return Numbers::integers;
    return is_of(floating) ? Numbers::floating : Numbers::others;
}

bool is_predefined(MPI_Op op) { return find_predefined(op) != nullptr; }

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

bool order_insensitive(MPI_Op op, const Type& type) {
    const Predefined* predefined = find_predefined(op);
    if (!predefined || predefined->order == Order::matters) return false;
    if (predefined->order == Order::any) return true;
    if (const Numbers numbers = numbers_of(type.handle); numbers != Numbers::others)
        return numbers == Numbers::integers;
    static std::mutex mutex;
    // Never destroyed: a collective at exit may come after it would be.
    static auto* known = new std::map<MPI_Datatype, bool>;
    const std::lock_guard lock(mutex);
    const auto [found, fresh] = known->emplace(type.handle, false);
    if (fresh) found->second = is_integer(type);
    return found->second;
}

bool takes_type(MPI_Op op, const Type& type) {
    const Predefined* predefined = find_predefined(op);
    if (!predefined) return true;
    if (!type.predefined) return false;
    const Numbers numbers = numbers_of(type.handle);
    const Native& mpi = native();
    if (numbers == Numbers::integers && predefined->order != Order::matters) return true;
    if (numbers == Numbers::floating && (op == mpi.sum || op == mpi.max || op == mpi.min))
        return true;
    static std::mutex mutex;
    static auto* known = new std::map<std::pair<MPI_Op, MPI_Datatype>, bool>;
    const std::lock_guard lock(mutex);
    const auto [found, fresh] = known->emplace(std::pair{op, type.handle}, false);
    if (fresh) found->second = try_out(op, type);
    return found->second;
}

}  // namespace eco
