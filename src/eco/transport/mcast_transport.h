// SPDX-License-Identifier: BSD-3-Clause
// Messages to several ranks at once by the network's own multicast, as the executor's transport;
// all others, and what receivers and senders tell each other, go through another transport. Made
// for each collective call. A multicast is over when all its receivers have it: what is lost is
// asked for and sent again by the other transport, so a call ends even where no datagram arrives.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "eco/transport/mcast_receiver.h"
#include "eco/transport/mcast_sender.h"
#include "eco/transport/mcast_talk.h"
#include "eco/transport/transport.h"

namespace eco {

// Of one communicator; both ends of a pair of ranks find the same out at the same call.
struct McastContext {
    std::uint64_t number = 0;  // all its ranks have the same, and no other communicator has it
    std::uint32_t calls = 0;
    // Nothing that is multicast arrives there, or comes from there: messages go one by one.
    std::set<Rank> unreached, unheard;
    // Of those that may be so, datagrams in a row that did not arrive.
    std::map<Rank, std::int64_t> in_vain;
    // So many calls still expect losses: the first ones, and those after one that lost something.
    static constexpr int careful_calls = 64;
    int careful = careful_calls;
    // Per receiver, the part of the datagrams that it asked for of late.
    std::map<Rank, double> lost;
    std::unique_ptr<McastTalk> talk;
};

class McastTransport : public Transport, McastChannel::Listener, McastTalk::Listener {
public:
    // Bytes on the wire per second that reach both ranks without loss.
    using Rate = std::function<double(Rank from, std::span<const Rank> to)>;

    // first_tag, tags: of this call's messages; its programs use the lower half of them. The other
    // transport outlives this, and so does the context, whose talk is there.
    McastTransport(McastChannel& channel, McastContext& context, Rank me, Rate rate,
                   Transport& other, int first_tag, int tags);
    // With something under way only after an error.
    ~McastTransport() override;
    McastTransport(const McastTransport&) = delete;
    McastTransport& operator=(const McastTransport&) = delete;

    void send(int id, const void* data, Bytes bytes, Rank to, int tag) override;
    void recv(int id, void* data, Bytes bytes, Rank from, int tag) override;
    void mcast(int id, const void* data, Bytes bytes, std::span<const Rank> to, int tag) override;
    void mcast_recv(int id, void* data, Bytes bytes, Rank from, int tag) override;
    void wait(std::vector<int>& ended) override;
    void poll(std::vector<int>& ended) override;
    void native_part(Operation part, const void* from, void* to, Bytes bytes, Rank root) override {
        other_.native_part(part, from, to, bytes, root);
    }

private:
    // A message, or the rest of one, that goes to one rank by the other transport.
    struct Part {
        int task = -1;  // of a sender: of which it is one
        Rank from = 0;
        std::uint32_t message = 0;
        std::vector<std::byte> unused;  // where it comes to nothing that is new
    };
    void take(const McastHeader& header, std::span<const std::byte> data) override;
    void status(Rank from, const McastStatus& status) override;
    void answer(Rank from, const McastAnswer& answer) override;
    void send_part(int task, const void* data, Bytes bytes, Rank to, int tag);
    void receive_rest(Rank from, const McastAnswer::Rest& rest);
    void end_message(int id, std::vector<int>& ended);
    void hear_statuses();
    void tell();
    bool moves(std::vector<int>& ended);
    void rest();
    void end_part(int task, std::vector<int>& ended);
    bool is_quiet() const;
    void close();

    int copy_tag(int tag) const { return first_tag_ + tags_ / 2 + tag; }

    McastChannel& channel_;
    McastContext& context_;
    Rate rate_;
    Transport& other_;
    Rank me_;
    int first_tag_, tags_;
    const std::set<Rank> unreached_, unheard_;  // what is found out in a call counts from the next
    McastCall call_;
    McastSender sender_;
    McastReceiver receiver_;
    std::mutex mutex_;  // of heard_
    std::vector<std::pair<Rank, McastStatus>> heard_;
    std::map<int, Part> parts_;  // by id, below 0
    int next_part_ = -1;
    std::map<int, int> parts_left_;  // per multicast task: what must end before it has
    std::map<std::pair<Rank, std::uint32_t>, Bytes> lengths_;  // of messages to this rank
    int open_ = 0;                                             // tasks
    bool closed_ = false;
    std::vector<int> ended_elsewhere_;
};

}  // namespace eco
