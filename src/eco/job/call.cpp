// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/call.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "eco/base/error.h"
#include "eco/job/learning.h"
#include "eco/job/report.h"
#include "eco/mpi/device_memory.h"
#include "eco/planners/planner.h"

namespace eco {

void Call::end() noexcept {
    if (timed_) std::exchange(timed_, nullptr)->ended();
}

Call::~Call() {
    end();
    if (lost_)
        for (Storage& room : rooms_) static_cast<void>(room.release());
}

std::byte* Call::room(Bytes bytes) {
    rooms_.push_back(allocate(bytes));
    return rooms_.back().get();
}

const void* Call::readable(const void* buffer, Reach reach) {
    std::byte* start = bytes_at(buffer, reach.from);
    if (reach.bytes <= 0 || !may_have_device_memory() || !is_device_memory(start)) return buffer;
    std::byte* copy = room(reach.bytes);
    copy_device_memory(copy, start, reach.bytes);
    return copy - reach.from;
}

void* Call::writable(void* buffer, Reach reach, bool stays) {
    std::byte* start = bytes_at(buffer, reach.from);
    if (reach.bytes <= 0 || !may_have_device_memory() || !is_device_memory(start)) return buffer;
    std::byte* copy = room(reach.bytes);
    std::byte* before = nullptr;
    if (stays) {
        copy_device_memory(copy, start, reach.bytes);
        before = room(reach.bytes);
        std::memcpy(before, copy, static_cast<std::size_t>(reach.bytes));
    }
    written_.push_back({start, copy, before, reach.bytes});
    return copy - reach.from;
}

// Between what a call receives the program may write meanwhile: only bytes that have changed go
// back, however few they are.
void Call::write_back() {
    for (const OnDevice& each : written_) {
        if (!each.before) {
            copy_device_memory(each.device, each.copy, each.bytes);
            continue;
        }
        const auto end = each.copy + each.bytes;
        for (const std::byte *at = each.copy, *old = each.before; at != end;) {
            const auto [first, same] = std::mismatch(at, end, old);
            if (first == end) break;
            const auto [last, other] =
                std::mismatch(first, end, same, [](std::byte a, std::byte b) { return a != b; });
            copy_device_memory(each.device + (first - each.copy), first, last - first);
            at = last;
            old = other;
        }
    }
}

void Call::fail() noexcept {
    end();
    try {
        throw;
    } catch (const MpiError&) {
        // What the library refused, or what run() has seen to.
    } catch (...) {
        if (communicator_) communicator_->abandon();
    }
}

bool Call::takes(Bytes bytes, bool commutative, bool bits_may_change) {
    commutative_ = commutative;
    const bool free = bits_may_change || session()->settings.learn == Learn::all;
    try {
        choice_ = communicator_->choose(operation_, bytes, commutative, free, &timed_);
    } catch (const MpiError& error) {
        communicator_->abandon(error.code);
        throw;
    }
    if (session()->settings.verbose > 0)
        count_call(operation_, bytes, site_, choice_ ? to_text(*choice_) : "native");
    return choice_ != nullptr;
}

bool Call::passes_blocks_on() const {
    return eco::passes_blocks_on(*choice_, communicator_->hierarchy());
}

int Call::segments() const { return segments_of(*choice_); }

void Call::run(const Layout& layout, Rank root, const Combine& combine,
               const Reduction& reduction) {
    const Request request{operation_, &communicator_->hierarchy(), root, commutative_};
    run(communicator_->prepared(*choice_, request), layout, combine, reduction);
}

void Call::run(const Prepared& prepared, const Layout& layout, const Combine& combine,
               const Reduction& reduction) {
    const Choice choice = choice_ ? *choice_ : Choice{};
    try {
        communicator_->run(choice, prepared, layout, combine, reduction);
    } catch (const Truncated&) {
        throw;
    } catch (const MpiError& error) {
        communicator_->abandon(error.code);
        lost_ = true;
        throw;
    } catch (...) {
        // What is left on the hidden communicator could be taken for a later call's.
        communicator_->abandon();
        lost_ = true;
        throw;
    }
}

int failed(MPI_Comm comm) {
    const Native& mpi = native();
    int code = MPI_ERR_INTERN, rank = 0, length = 0;
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    mpi.Comm_rank(mpi.comm_world, &rank);
    mpi.Get_processor_name(host, &length);
    try {
        throw;
    } catch (const MpiError& error) {
        code = error.code;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "eco: rank %d on %s: out of memory in a collective\n", rank, host);
        code = MPI_ERR_NO_MEM;
    } catch (const Error& error) {
        // Other ranks wait for what will not come. If the error handler ended this rank alone,
        // MPICH's launcher would let them wait for ever.
        std::fprintf(stderr, "eco: rank %d on %s: %s; the job ends\n", rank, host, error.what());
        abort_job(error.code());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: rank %d on %s: %s\n", rank, host, error.what());
    } catch (...) {
    }
    mpi.Comm_call_errhandler(comm, code);
    return code;
}

void set_blocks(Layout& layout, Bytes length, Bytes input_stride, Bytes output_stride) {
    layout.length = [length](int) { return length; };
    layout.input_offset = [input_stride](int block) { return block * input_stride; };
    layout.output_offset = [output_stride](int block) { return block * output_stride; };
}

}  // namespace eco
