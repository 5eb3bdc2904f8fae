// SPDX-License-Identifier: BSD-3-Clause
// Messages to several ranks at once by IP multicast, as a transport of run/execution.h; all others,
// and control messages, go through another transport. Made for each collective call. A multicast is
// complete when all its receivers have it: what is lost is requested and sent again by the other
// transport, so a call ends even if no datagram arrives. If it waits only for late receivers, and
// progress completes it later, it keeps a copy for them and its messages count as sent; then
// has_unacknowledged() holds.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "eco/transport/mcast_context.h"
#include "eco/transport/mcast_receiver.h"
#include "eco/transport/mcast_sender.h"
#include "eco/transport/transport.h"

namespace eco {

class McastTransport : public Transport, McastChannel::Listener, McastMessages::Listener {
public:
    // Bytes on the wire per second that reach both ranks without loss.
    using Rate = std::function<double(Rank from, std::span<const Rank> to)>;

    // first_tag, tags: of this call's messages; its programs use the lower half of them. The other
    // transport outlives this, and so does the context, whose messages are there.
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
    // Whether a message of this call went to some of its receivers one by one from the beginning,
    // because multicasts do not reach them. If each message goes to all other ranks, all ranks say
    // the same once they have all messages.
    bool has_unreachable() const { return has_unreachable_; }
    // After the last task: whether some receivers have not got all.
    bool has_unacknowledged() const { return kept_bytes_ > 0; }
    // Moves on all that this communicator's calls have left, unless somebody does so already;
    // whether anything may be left.
    static bool move_left(McastContext& context, McastChannel& channel);

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
    // A message that goes so, but not yet: earlier ones with the same tag are to go first.
    struct Held {
        int task;
        const void* data;
        Bytes bytes;
        Rank to;
        int tag;
    };
    void take(const McastHeader& header, std::span<const std::byte> data) override;
    void status(Rank from, const McastStatus& status) override;
    void answer(Rank from, const McastAnswer& answer) override;
    bool is_owed_earlier_ones(Rank rank) const;
    void send_part(int task, const void* data, Bytes bytes, Rank to, int tag);
    void post_part(int task, const void* data, Bytes bytes, Rank to, int tag);
    bool post_held();
    void receive_rest(Rank from, const McastAnswer::Rest& rest);
    void end_message(int id, std::vector<int>& ended);
    void hear_statuses();
    void tell();
    bool moves(std::vector<int>& ended);
    bool steps(std::vector<int>& ended);
    bool tries(std::vector<int>& ended);
    void move_left();
    void leave(std::vector<int>& ended);
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
    McastCall call_;
    std::set<Rank> unreached_, unreachable_senders_;
    McastSender sender_;
    McastReceiver receiver_;
    std::mutex mutex_;  // of statuses_
    std::vector<std::pair<Rank, McastStatus>> statuses_;
    std::map<int, Part> parts_;  // by id, below 0
    int next_part_ = -1;
    std::vector<Held> held_;
    std::map<int, int> parts_left_;  // per multicast task: what must end before it has
    std::map<std::pair<Rank, std::uint32_t>, Bytes> lengths_;  // of messages to this rank
    int open_ = 0;                                             // tasks
    bool closed_ = false, was_forgotten_ = false;
    std::set<int> tasks_left_;  // said to have ended, though they have not
    std::atomic<bool> has_unreachable_ = false;
    std::atomic<Bytes> kept_bytes_ = 0;          // for those who are late; at least 1
    Seconds wait_ = 0;                           // of the sender, when it moved last
    std::vector<int> ended_elsewhere_, untold_;  // tasks that have ended
};

}  // namespace eco
