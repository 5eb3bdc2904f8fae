// MPI point-to-point as the executor's transport, on a communicator of ECO's own.
#pragma once

#include <map>

#include "eco/interpose/native.h"
#include "eco/transport/transport.h"

namespace eco {

// An MPI function failed; code is what it returned.
struct MpiError {
    int code;
};

inline void check_mpi(int code) {
    if (code != MPI_SUCCESS) throw MpiError{code};
}

class MpiTransport : public Transport {
public:
    explicit MpiTransport(MPI_Comm comm) : comm_(comm) {}

    void send(int id, const void* data, Bytes bytes, Rank to, int tag) override;
    void recv(int id, void* data, Bytes bytes, Rank from, int tag) override;
    void wait(std::vector<int>& ended) override;

private:
    MPI_Request& add(int id);

    MPI_Comm comm_;
    std::vector<MPI_Request> requests_;
    std::vector<int> ids_, indices_;
    std::vector<MPI_Status> statuses_;
    std::map<int, int> chunks_left_;  // of messages too long for one MPI message
};

}  // namespace eco
