// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood allgathers: what each rank gives goes to all ranks that it has an edge to, which is
// the multicast problem of Wu, Yeh and Liu.
#include <cstring>
#include <utility>
#include <vector>

#include "eco/job/neighbourhood.h"
#include "eco/preload/forms.h"

namespace eco {

namespace {

// What one rank gives, and where it wants what it gets: per edge into it an element count and a
// place in bytes from the buffer's start.
struct Given {
    const void* send;
    Bytes send_count;
    MPI_Datatype send_type;
    void* receive;
    MPI_Datatype receive_type;
    std::vector<Bytes> counts, places;
};

// Kept by its call.
class Run {
public:
    Run(Given whole, const Neighbourhood& neighbourhood, Call& call)
        : given_(std::move(whole)),
          neighbourhood_(neighbourhood),
          call_(call),
          type_(given_.receive_type) {
        Given& given = given_;
        call.hold(type_);
        const Type from(given.send_type);
        given.send = call.readable(given.send, reach(given.send_count, from));
        Reach touched;
        for (std::size_t edge = 0; edge < given.counts.size(); ++edge)
            if (neighbourhood.sources()[edge] >= 0)
                touched.add(reach(given.counts[edge], type_, given.places[edge]));
        given.receive = call.writable(given.receive, touched, true);
        own_ = bytes_at(given.send);
        own_bytes_ = given.send_count * from.size;
        if (!from.plain) {
            own_ = call.room(own_bytes_);
            call.fill(from, [&call, from, data = given.send, count = given.send_count, to = own_] {
                pack(data, count, from, to, call.comm());
            });
        }
        // The first edge from each source is where its block goes.
        first_.assign(static_cast<std::size_t>(call.size()), -1);
        const auto& sources = neighbourhood.sources();
        Bytes end = 0;
        for (std::size_t edge = 0; edge < sources.size(); ++edge) {
            if (sources[edge] < 0) continue;
            int& first = first_[static_cast<std::size_t>(sources[edge])];
            if (first < 0) first = static_cast<int>(edge);
            packed_place_.resize(edge + 1, 0);
            packed_place_[edge] = end;
            end += length(edge);
        }
        if (!type_.plain) packed_ = call.room(end);
    }

    void run(const Prepared& prepared) {
        Layout layout;
        layout.input = own_;
        layout.output = type_.plain ? bytes_at(given_.receive) : packed_;
        layout.length = [this](int block) {
            return block == call_.rank() ? own_bytes_ : length(edge_from(block));
        };
        layout.input_offset = [](int) { return Bytes{0}; };
        layout.output_offset = [this](int block) {
            const std::size_t edge = edge_from(block);
            return type_.plain ? given_.places[edge] : packed_place_[edge];
        };
        call_.run(prepared, std::move(layout), [this] { settle(); });
    }

private:
    Bytes length(std::size_t edge) const { return given_.counts[edge] * type_.size; }
    std::size_t edge_from(Rank source) const {
        return static_cast<std::size_t>(first_[static_cast<std::size_t>(source)]);
    }

    // To where the program wants them: packed blocks, second edges from one source, own blocks.
    void settle() {
        const auto& sources = neighbourhood_.sources();
        for (std::size_t edge = 0; edge < sources.size(); ++edge) {
            const Rank source = sources[edge];
            if (source < 0) continue;
            const std::size_t first = edge_from(source);
            std::byte* to = bytes_at(given_.receive, given_.places[edge]);
            const std::byte* from = type_.plain ? bytes_at(given_.receive, given_.places[first])
                                                : packed_ + packed_place_[first];
            if (source == call_.rank()) from = own_;
            if (!type_.plain)
                unpack(from, to, given_.counts[edge], type_, call_.comm());
            else if (from != to && length(edge) > 0)
                std::memcpy(to, from, static_cast<std::size_t>(length(edge)));
        }
    }

    Given given_;
    const Neighbourhood& neighbourhood_;
    Call& call_;
    Type type_;
    std::byte* own_ = nullptr;
    Bytes own_bytes_ = 0;
    std::byte* packed_ = nullptr;
    std::vector<int> first_;           // per rank: the first edge from it; -1: none
    std::vector<Bytes> packed_place_;  // per edge
};

Bytes bytes_given(const Given& given) {
    return is_type(given.send_type) ? given.send_count * Type(given.send_type).size : 0;
}

// plan(neighbourhood, communicator): what runs it.
template <typename Plan>
bool run_planned(Operation operation, Call& call, Given& given, Plan plan) {
    Neighbourhood* neighbourhood = call.may_block() ? call.communicator().neighbourhood()
                                                    : call.communicator().known_neighbourhood();
    std::shared_ptr<const Multicasting> chosen;
    if (neighbourhood) {
        // If there is nobody to give to or to get from, MPICH takes any type, and none.
        if (!neighbourhood->has_out()) {
            given.send_count = 0;
            given.send_type = native().byte;
        }
        if (!neighbourhood->has_in()) given.receive_type = native().byte;
        if (is_type(given.send_type) && is_type(given.receive_type))
            chosen = plan(*neighbourhood, call.communicator());
    }
    const Bytes bytes = operation == Operation::neighbor_allgather ? bytes_given(given) : -1;
    if (!call.takes(chosen.get(), bytes)) return false;
    call.keep(Run(std::move(given), *neighbourhood, call)).run(*call.keep(chosen)->prepared);
    return true;
}

// Only a call that may wait for the others may ask them.
MulticastPlans::Plan of_own_size(Neighbourhood& here, const Communicator& communicator, Call& call,
                                 Bytes bytes) {
    const bool may_mcast = call.may_mcast();
    return call.may_block() ? here.of_own_size(communicator, bytes, may_mcast)
                            : here.last_of_own_size(communicator, may_mcast);
}

bool aside() { return session()->settings.choice == "native"; }

template <typename Count, typename NativeCall>
int neighbor_allgather(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Caller caller,
                       NativeCall run_native) {
    return run_call(Operation::neighbor_allgather, comm, caller, run_native, [&](Call& call) {
        if (aside()) return false;
        if (sendcount < 0 || recvcount < 0) return false;
        Given given{sendbuf, static_cast<Bytes>(sendcount), sendtype, recvbuf, recvtype, {}, {}};
        return run_planned(Operation::neighbor_allgather, call, given,
                           [&](Neighbourhood& here, const Communicator& communicator) {
                               const Type type(given.receive_type);
                               const Bytes sent = bytes_given(given),
                                           received = static_cast<Bytes>(recvcount) * type.size;
                               for (std::size_t edge = 0; edge < here.sources().size(); ++edge) {
                                   given.counts.push_back(recvcount);
                                   given.places.push_back(static_cast<Bytes>(edge) *
                                                          given.counts.back() * type.extent);
                               }
                               // All ranks must give and get the same, but where edges do not
                               // join them nobody sees whether they do.
                               if (!here.is_connected())
                                   return of_own_size(here, communicator, call, sent);
                               return here.of_size(communicator, here.gives() ? sent : received,
                                                   call.may_mcast());
                           });
    });
}

template <typename Count, typename Displacement, typename NativeCall>
int neighbor_allgatherv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,
                        MPI_Comm comm, Caller caller, NativeCall run_native) {
    return run_call(Operation::neighbor_allgatherv, comm, caller, run_native, [&](Call& call) {
        if (aside()) return false;
        if (sendcount < 0) return false;
        Given given{sendbuf, static_cast<Bytes>(sendcount), sendtype, recvbuf, recvtype, {}, {}};
        return run_planned(
            Operation::neighbor_allgatherv, call, given,
            [&](Neighbourhood& here, const Communicator& communicator) {
                const Type type(given.receive_type);
                for (std::size_t edge = 0; edge < here.sources().size(); ++edge) {
                    given.counts.push_back(recvcounts[edge]);
                    given.places.push_back(static_cast<Bytes>(displs[edge]) * type.extent);
                }
                return of_own_size(here, communicator, call, bytes_given(given));
            });
    });
}

}  // namespace

}  // namespace eco

// Each function and its large-count twin.
#define ECO_DEFINE(suffix, Count, Displacement)                                                    \
    ECO_FORMS(suffix, Neighbor_allgather, Ineighbor_allgather, eco::neighbor_allgather,            \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),                  \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,         \
               Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),                             \
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))                  \
    ECO_FORMS(suffix, Neighbor_allgatherv, Ineighbor_allgatherv, eco::neighbor_allgatherv,         \
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),         \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,         \
               const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,         \
               MPI_Comm comm),                                                                     \
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))

ECO_DEFINE(, int, int)
#if ECO_HAS_COUNT
ECO_DEFINE(_c, MPI_Count, MPI_Aint)
#endif
#undef ECO_DEFINE
