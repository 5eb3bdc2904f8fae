// SPDX-License-Identifier: BSD-3-Clause
// Messages between processes over their rails: matched by context and tag, those of one context and
// tag between two processes in the order they were started. Called by RailTransport, by all threads
// of a process.
//
// Short messages are put into eager buffers (slots) that the receiver keeps for each peer, over one
// rail after the other. For a long one the receiver sends a clear to send, also through a slot,
// that says where each rail's stripe goes, and the sender puts the stripes there at once. Each rail
// notifies the receiver when its part has arrived; the receiver counts these notifications.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "eco/transport/rails.h"

namespace eco {

struct RailSend;
struct RailReceive;
struct RailStripe;
struct RailOutgoing;
struct RailPeer;

// Of one call of the program: what has ended of it. The messages started for it end before it.
struct RailBox {
    std::vector<int> ended;
    int open = 0;
};

class RailMessages {
public:
    // longest_short: longer messages are cut into stripes; the same in all processes.
    RailMessages(std::unique_ptr<Rails> rails, Rank me, int ranks, Bytes longest_short);
    ~RailMessages();

    // What all others must know of this process, and what all have said.
    std::string own_address() const;
    void connect(const std::vector<std::string>& addresses);

    bool reaches(Rank peer) const { return !rails_->ways(peer).empty(); }

    // Writes to each peer that is reached, over all ways, and waits until each has written too;
    // all must call it. False after so many seconds; `missing` then says who was not reached.
    bool connectivity_check(double seconds, std::string& missing);

    // Neither blocks. most: ways to use, as the peer does; the first ones. A message up to
    // longest_short may be shorter than its place, also up to that; of longer ones both must be as
    // long, or this or progress() throws Error. A short one for a long place, or a long one for a
    // short place, is not noticed: both wait.
    void send(RailBox& box, int id, const void* data, Bytes bytes, Rank to, std::uint64_t context,
              int tag, int most);
    void recv(RailBox& box, int id, void* data, Bytes bytes, Rank from, std::uint64_t context,
              int tag, int most);

    // Moves what can be moved; appends what has ended of the box. True if anything happened.
    // Throws Error where a rail is down.
    bool progress(RailBox& box, std::vector<int>& ended);
    // Until there may be something to do for the box, at most so long: another thread may take what
    // arrives for it. Throws as progress().
    void sleep_until_event(const RailBox& box, long microseconds);
    // Whether all that this process told its peers on its own account has left.
    bool is_quiet();

    // A box goes with messages under way into it: from now on progress() throws.
    void abandon();

private:
    int ways(Rank peer, int most) const;
    bool all_heard(std::string& missing);
    void tell(Rank peer, RailOutgoing outgoing);
    void fill_slot(Rank peer, const RailOutgoing& outgoing);
    void clear_to_send(std::unique_ptr<RailReceive> receive);
    // room: what the receiver's stripes hold.
    void write_stripes(std::unique_ptr<RailSend> send, Bytes room, int number,
                       const std::vector<RailStripe>& stripes);
    // Less may come than there is room for.
    static void take_short(RailReceive& receive, const std::byte* data, Bytes bytes);
    void handle(const RailEvent& event);
    void read_slots(Rank peer);
    void read_slot(Rank peer, const std::byte* data);
    void check_if_still();
    static void finish(RailBox& box, int id);

    std::unique_ptr<Rails> rails_;
    Rank me_;
    int ranks_;
    Bytes longest_short_, slot_bytes_, peer_bytes_;
    std::unique_ptr<std::byte[]> inbox_, outbox_;  // of each peer its slots, then its credits
    std::unique_ptr<Registered> inbox_memory_, outbox_memory_;
    std::vector<std::unique_ptr<RailPeer>> peers_;
    std::vector<RailEvent> events_;
    int own_puts_ = 0;  // of no message of the program's
    bool abandoned_ = false;
    int waker_, asleep_ = 0;  // an eventfd, of which each thread that sleeps takes one
    std::chrono::steady_clock::time_point moved_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
};

}  // namespace eco
