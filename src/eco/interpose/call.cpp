#include "eco/interpose/call.h"

#include <cstdio>
#include <new>
#include <utility>

#include "eco/base/error.h"
#include "eco/interpose/learning.h"
#include "eco/interpose/report.h"
#include "eco/plan/planner.h"

namespace eco {

void Call::end() {
    if (timed_) std::exchange(timed_, nullptr)->ended();
}

bool Call::takes(Bytes bytes, bool commutative, bool bits_may_change) {
    commutative_ = commutative;
    const bool free = bits_may_change || session()->settings.learn == Learn::all;
    try {
        choice_ = communicator_->choose(operation_, bytes, commutative, free, &timed_);
    } catch (...) {
        // Wrappers ask before they guard: nothing may get from here into the program.
        communicator_->abandon();
        choice_ = nullptr;
        return false;
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
    } catch (...) {
        // What is left on the hidden communicator could be taken for a later call's.
        communicator_->abandon();
        throw;
    }
}

int failed(MPI_Comm comm) {
    int code = MPI_ERR_INTERN;
    try {
        throw;
    } catch (const MpiError& error) {
        code = error.code;
    } catch (const std::bad_alloc&) {
        code = MPI_ERR_NO_MEM;
    } catch (const Error& error) {
        // A rail is gone, and other ranks wait for what will not come over it. Where the error
        // handler ended this rank alone, MPICH's launcher would let them wait for ever.
        std::fprintf(stderr, "eco: rank %d on %s: %s; the job ends\n", session()->world_rank,
                     processor_name().c_str(), error.what());
        native().Abort(native().comm_world, static_cast<int>(error.code()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "eco: %s\n", error.what());
    } catch (...) {
    }
    native().Comm_call_errhandler(comm, code);
    return code;
}

void set_blocks(Layout& layout, Bytes length, Bytes input_stride, Bytes output_stride) {
    layout.length = [length](int) { return length; };
    layout.input_offset = [input_stride](int block) { return block * input_stride; };
    layout.output_offset = [output_stride](int block) { return block * output_stride; };
}

}  // namespace eco
