// SPDX-License-Identifier: BSD-3-Clause
// Reduce, allreduce, scan, exscan and the reduce-scatters, blocking and not.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "eco/mpi/operator.h"
#include "eco/preload/forms.h"

namespace eco {

namespace {

// Kept by its call. The user's buffers as arrays of elements, each `extent` bytes after the last:
// the buffers themselves for plain types, else copies, so that gaps in the user's output stay as
// they are.
class Elements {
public:
    Elements(const Type& type, MPI_Op op, Call& call) : type_(type), op_(op), call_(call) {}

    std::byte* read(const void* user, Bytes count) {
        if (type_.plain) return bytes_at(user);
        return stage(user, count);
    }
    // filled: the output holds input too.
    std::byte* write(void* user, Bytes count, bool filled) {
        if (type_.plain) return bytes_at(user);
        output_ = filled ? stage(user, count) : call_.room(count * type_.extent);
        return output_;
    }
    void give_back(void* user, Bytes count) {
        if (!output_ || count == 0) return;
        const auto packed = allocate(count * type_.size);
        pack(output_ - type_.true_lb, count, type_, packed.get(), call_.comm());
        unpack(packed.get(), user, count, type_, call_.comm());
    }

    // MPI_Reduce_local gives in ∘ inout, so what stands later must be inout. Also of operators that
    // commute: other ranks may combine the same values, and must get the same bits.
    Combine combine() const {
        return [this](std::byte* to, std::byte* from, Bytes bytes, bool earlier) {
            const Bytes most = Bytes{1} << 30;
            for (Bytes done = 0, count = bytes / type_.extent; done < count; done += most) {
                const int now = static_cast<int>(std::min(most, count - done));
                std::byte *here = to + done * type_.extent, *other = from + done * type_.extent;
                if (earlier) {
                    local(other, here, now);
                } else {
                    local(here, other, now);
                    std::memcpy(here, other, static_cast<std::size_t>(now * type_.extent));
                }
            }
        };
    }
    Reduction reduction() const { return {type_.handle, op_, type_.extent, type_.true_lb}; }

private:
    std::byte* stage(const void* user, Bytes count) const {
        std::byte* copy = call_.room(count * type_.extent);
        const auto bytes = static_cast<std::size_t>((count - 1) * type_.extent + type_.true_extent);
        // Gaps may be no memory of the program's.
        if (count > 0 && type_.has_gaps() && !type_.predefined)
            call_.fill([this, copy, user, count] {
                const auto packed = allocate(count * type_.size);
                pack(user, count, type_, packed.get(), call_.comm());
                unpack(packed.get(), copy - type_.true_lb, count, type_, call_.comm());
            });
        else if (count > 0)
            call_.fill([copy, from = bytes_at(user, type_.true_lb), bytes] {
                std::memcpy(copy, from, bytes);
            });
        return copy;
    }
    void local(std::byte* in, std::byte* inout, int count) const {
        check_mpi(native().Reduce_local(in - type_.true_lb, inout - type_.true_lb, count,
                                        type_.handle, op_));
    }

    Type type_;
    MPI_Op op_;
    Call& call_;
    std::byte* output_ = nullptr;
};

// One message from every rank: reduce, allreduce, scan, exscan.
template <typename Count, typename NativeCall>
int reduce(Operation operation, const void* sendbuf, void* recvbuf, Count count,
           MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, Caller caller,
           NativeCall run_native) {
    return run_call(operation, comm, caller, run_native, [&](Call& call) {
        if (!call.has_root(root) || count <= 0 || !is_type(datatype) || !is_operator(op))
            return false;
        const Type type(datatype);
        const Bytes bytes = static_cast<Bytes>(count) * type.size;
        if (bytes == 0 || !type.can_be_staged() || !takes_type(op, type)) return false;
        const bool commutative = commutes(op);
        if (!call.takes(bytes, commutative, order_insensitive(op, type))) return false;
        const bool receives = operation != Operation::reduce || call.rank() == root;
        const bool in_place = receives && sendbuf == MPI_IN_PLACE;
        if (!in_place) sendbuf = call.readable(sendbuf, reach(count, type));
        const bool undefined = operation == Operation::exscan && call.rank() == 0;
        if (receives)
            recvbuf =
                call.writable(recvbuf, reach(count, type), in_place || undefined || !type.plain);
        call.hold(op, type);
        Elements& elements = call.keep(Elements(type, op, call));
        Layout layout;
        layout.unit = type.extent;
        layout.whole = static_cast<Bytes>(count) * type.extent;
        if (receives) layout.output = elements.write(recvbuf, count, in_place);
        layout.input = in_place ? layout.output : elements.read(sendbuf, count);
        Call::Then then;
        if (receives && !undefined && !type.plain)
            then = [=, &elements] { elements.give_back(recvbuf, count); };
        call.run(std::move(layout), root, std::move(then), elements.combine(),
                 elements.reduction());
        return true;
    });
}

struct SummedBlocks {
    std::vector<Bytes> lengths, offsets;
};

// counts: elements of each rank's block.
bool sum_blocks(Call& call, const void* sendbuf, void* recvbuf, const std::vector<Bytes>& counts,
                MPI_Datatype datatype, MPI_Op op) {
    if (!is_type(datatype) || !is_operator(op)) return false;
    const Type type(datatype);
    Bytes total = 0;
    for (const Bytes count : counts) total += count;
    const bool sound =
        std::all_of(counts.begin(), counts.end(), [](Bytes count) { return count >= 0; });
    if (!sound || total == 0 || type.size == 0 || !type.can_be_staged() || !takes_type(op, type))
        return false;
    const bool commutative = commutes(op);
    if (!call.takes(total * type.size, commutative, order_insensitive(op, type))) return false;
    const Bytes own = counts[static_cast<std::size_t>(call.rank())];
    const bool in_place = sendbuf == MPI_IN_PLACE;
    if (!in_place) sendbuf = call.readable(sendbuf, reach(total, type));
    recvbuf = call.writable(recvbuf, reach(in_place ? total : own, type), true);
    call.hold(op, type);
    Elements& elements = call.keep(Elements(type, op, call));
    auto& blocks = call.keep(SummedBlocks());
    Bytes start = 0;
    for (const Bytes count : counts) {
        blocks.lengths.push_back(count * type.extent);
        blocks.offsets.push_back(start * type.extent);
        start += count;
    }
    Layout layout;
    layout.unit = type.extent;
    layout.length = [&blocks](int block) {
        return blocks.lengths[static_cast<std::size_t>(block)];
    };
    layout.input_offset = [&blocks](int block) {
        return blocks.offsets[static_cast<std::size_t>(block)];
    };
    layout.output_offset = [](int) { return Bytes{0}; };
    layout.input = elements.read(in_place ? recvbuf : sendbuf, total);
    // In place the result lies over the first block of what is still to be read.
    std::byte* result = nullptr;
    layout.output = elements.write(recvbuf, own, false);
    if (in_place && type.plain) {
        layout.output = result = call.room(own * type.extent);
    }
    Call::Then then;
    if (result || !type.plain)
        then = [=, &elements] {
            if (result) std::memcpy(recvbuf, result, static_cast<std::size_t>(own * type.extent));
            elements.give_back(recvbuf, own);
        };
    call.run(std::move(layout), 0, std::move(then), elements.combine(), elements.reduction());
    return true;
}

template <typename Count, typename NativeCall>
int reduce_scatter(const void* sendbuf, void* recvbuf, const Count* counts, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm, Caller caller, NativeCall run_native) {
    return run_call(Operation::reduce_scatter, comm, caller, run_native, [&](Call& call) {
        const std::vector<Bytes> all(counts, counts + call.size());
        return sum_blocks(call, sendbuf, recvbuf, all, type, op);
    });
}

template <typename Count, typename NativeCall>
int reduce_scatter_block(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm, Caller caller, NativeCall run_native) {
    return run_call(Operation::reduce_scatter_block, comm, caller, run_native, [&](Call& call) {
        if (count <= 0) return false;
        const std::vector<Bytes> all(static_cast<std::size_t>(call.size()), count);
        return sum_blocks(call, sendbuf, recvbuf, all, type, op);
    });
}

}  // namespace

}  // namespace eco

// Each function and its large-count twin.
#define ECO_DEFINE(suffix, Count)                                                                  \
    ECO_FORMS(suffix, Reduce, Ireduce, eco::reduce,                                                \
              (eco::Operation::reduce, sendbuf, recvbuf, count, type, op, root, comm),             \
              (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type, MPI_Op op,      \
               int root, MPI_Comm comm),                                                           \
              (sendbuf, recvbuf, count, type, op, root, comm))                                     \
    ECO_FORMS(suffix, Allreduce, Iallreduce, eco::reduce,                                          \
              (eco::Operation::allreduce, sendbuf, recvbuf, count, type, op, 0, comm),             \
              (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type, MPI_Op op,      \
               MPI_Comm comm),                                                                     \
              (sendbuf, recvbuf, count, type, op, comm))                                           \
    ECO_FORMS(suffix, Scan, Iscan, eco::reduce,                                                    \
              (eco::Operation::scan, sendbuf, recvbuf, count, type, op, 0, comm),                  \
              (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type, MPI_Op op,      \
               MPI_Comm comm),                                                                     \
              (sendbuf, recvbuf, count, type, op, comm))                                           \
    ECO_FORMS(suffix, Exscan, Iexscan, eco::reduce,                                                \
              (eco::Operation::exscan, sendbuf, recvbuf, count, type, op, 0, comm),                \
              (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type, MPI_Op op,      \
               MPI_Comm comm),                                                                     \
              (sendbuf, recvbuf, count, type, op, comm))                                           \
    ECO_FORMS(suffix, Reduce_scatter, Ireduce_scatter, eco::reduce_scatter,                        \
              (sendbuf, recvbuf, counts, type, op, comm),                                          \
              (const void* sendbuf, void* recvbuf, const Count* counts, MPI_Datatype type,         \
               MPI_Op op, MPI_Comm comm),                                                          \
              (sendbuf, recvbuf, counts, type, op, comm))                                          \
    ECO_FORMS(suffix, Reduce_scatter_block, Ireduce_scatter_block, eco::reduce_scatter_block,      \
              (sendbuf, recvbuf, count, type, op, comm),                                           \
              (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type, MPI_Op op,      \
               MPI_Comm comm),                                                                     \
              (sendbuf, recvbuf, count, type, op, comm))

ECO_DEFINE(, int)
#if ECO_HAS_COUNT
ECO_DEFINE(_c, MPI_Count)
#endif
#undef ECO_DEFINE
