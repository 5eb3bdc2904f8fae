// SPDX-License-Identifier: BSD-3-Clause
// Messages over the rails, as a transport of run/execution.h; those to peers without a rail (ranks
// on the same host) and native parts go through another transport. Made for each collective call.
#pragma once

#include "eco/transport/rail_messages.h"
#include "eco/transport/transport.h"

namespace eco {

// Of one communicator: all its ranks have the same context, and no other communicator has it.
struct RailContext {
    std::uint64_t number = 0;
    std::vector<Rank> world;  // the rank by which RailMessages knows each rank
};

class RailTransport : public Transport {
public:
    // most: rails to use, the same on all ranks. The call's other transport must outlive this.
    RailTransport(RailMessages& messages, const RailContext& context, int most, Transport& other)
        : messages_(messages), context_(context), most_(most), other_(other) {}
    RailTransport(const RailTransport&) = delete;
    RailTransport& operator=(const RailTransport&) = delete;
    ~RailTransport() override;

    void send(int id, const void* data, Bytes bytes, Rank to, int tag) override;
    void recv(int id, void* data, Bytes bytes, Rank from, int tag) override;
    void wait(std::vector<int>& ended) override;
    void poll(std::vector<int>& ended) override;
    void native_part(Operation part, const void* from, void* to, Bytes bytes, Rank root) override {
        other_.native_part(part, from, to, bytes, root);
    }

private:
    Rank world(Rank rank) const { return context_.world[static_cast<std::size_t>(rank)]; }
    bool moves();
    bool tries(std::vector<int>& ended);

    RailMessages& messages_;
    const RailContext& context_;
    int most_;
    Transport& other_;
    int open_elsewhere_ = 0;
    std::vector<int> untold_;  // what has ended
    RailBox box_;
};

}  // namespace eco
