// SPDX-License-Identifier: BSD-3-Clause
// MPI messages as a transport of run/execution.h, on communicators of ECO's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eco/mpi/deferred_sends.h"
#include "eco/mpi/mpi_error.h"
#include "eco/mpi/native.h"
#include "eco/transport/transport.h"

namespace eco {

// What the library needs for its part of a reduction: chunks are elements of this type, each
// `extent` bytes after the last, the first one's data true_lb bytes into it.
struct Reduction {
    MPI_Datatype type;
    MPI_Op op;
    Bytes extent = 1, true_lb = 0;
};

// The ranks of this rank's innermost group, ascending, and their communicator.
struct Inside {
    MPI_Comm comm;
    const std::vector<Rank>* ranks = nullptr;
};

// What a rank looks at that has waited for some seconds without a message of its own having ended.
// look() throws where that is in vain.
class Patience {
public:
    virtual ~Patience() = default;
    virtual void look() = 0;
};

class MpiTransport : public Transport {
public:
    explicit MpiTransport(MPI_Comm comm, const Inside& inside = {}, const Reduction& reduction = {},
                          DeferredSends* deferred_sends = nullptr, Patience* patience = nullptr)
        : comm_(comm),
          inside_(inside),
          reduction_(reduction),
          deferred_sends_(deferred_sends),
          patience_(patience),
          requests_(take_spare()) {}
    // After an error messages may be under way: what has not come is not taken any more, and the
    // copies that are being sent are kept for good.
    ~MpiTransport() override;
    MpiTransport(const MpiTransport&) = delete;
    MpiTransport& operator=(const MpiTransport&) = delete;

    void send(int id, const void* data, Bytes bytes, Rank to, int tag) override;
    void recv(int id, void* data, Bytes bytes, Rank from, int tag) override;
    void wait(std::vector<int>& ended) override;
    void poll(std::vector<int>& ended) override;
    std::size_t deferrable_sends() const override;
    void native_part(Operation part, const void* from, void* to, Bytes bytes, Rank root) override;

    // After a whole schedule, for all deferred sends.
    void leave();

    // After a whole schedule: throws Truncated if one of its messages was.
    void check_truncated() const {
        if (truncated_ != MPI_SUCCESS) throw Truncated(truncated_);
    }

private:
    void check_message(int code);
    int find_ended(bool block);
    int find_some(bool block);
    void wait_for_one();
    void note_idle_poll();
    void some(bool block, std::vector<int>& ended);
    MPI_Request& add(int id, bool is_receive);

    MPI_Comm comm_;
    Inside inside_;
    Reduction reduction_;
    DeferredSends* deferred_sends_;  // null: no send may
    Patience* patience_;             // null: it waits for good
    std::uint32_t idle_polls_ = 0;   // tries since one has ended
    Seconds next_look_ = 0;
    struct Copied {
        DeferredSends::Copy copy;
        Rank to;
        Bytes bytes;
    };
    std::map<int, Copied> copied_;  // sends that may complete after the call, by id
    std::map<int, Rank> first_;     // receives from ranks that nothing has come from, by id
    std::map<Rank, Bytes> copied_to_;
    struct Requests {
        std::vector<MPI_Request> handles;
        std::vector<char> is_receive;  // beside handles, as ids
        std::vector<int> ids, indices;
        std::vector<MPI_Status> statuses;
    };
    // Its memory is kept from one call to the next of this thread.
    Requests requests_;
    static Requests* spare_of_thread();
    static Requests take_spare();
    [[maybe_unused]] std::size_t next_ = 0;  // of the requests, to be tried first
    std::map<int, int> chunks_left_;         // of messages too long for one MPI message
    int truncated_ = MPI_SUCCESS;
};

}  // namespace eco
