// SPDX-License-Identifier: BSD-3-Clause
// The ordinary messages about multicasts between the ranks of one communicator: statuses of
// receivers, answers of senders. Kept across calls: a call need not wait for a message whose
// content it knows otherwise. Each expected status arrives, and each request is answered, at the
// latest when the communicator is freed. Used by McastTransport.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "eco/transport/mcast_control.h"
#include "eco/transport/transport.h"

namespace eco {

class McastMessages {
public:
    // Two tags of a transport that nothing else uses.
    McastMessages(std::unique_ptr<Transport> transport, int status_tag, int answer_tag,
                  Bytes payload)
        : transport_(std::move(transport)),
          status_tag_(status_tag),
          answer_tag_(answer_tag),
          payload_(payload) {}
    // With something under way only after an error.
    ~McastMessages();
    McastMessages(const McastMessages&) = delete;
    McastMessages& operator=(const McastMessages&) = delete;

    // One call's. What is for a call that is over is answered with nothing.
    class Listener {
    public:
        virtual void status(Rank from, const McastStatus& status) = 0;
        virtual void answer(Rank from, const McastAnswer& answer) = 0;

    protected:
        ~Listener() = default;
    };
    void begin(std::uint32_t call, Listener& listener) { listeners_[call] = &listener; }
    void end(std::uint32_t call) { listeners_.erase(call); }

    // This rank will say of one message more that it is whole.
    void expect(Rank from);

    // Where the status asks, the answer is awaited from now on.
    void tell(Rank to, const McastStatus& status);
    // awaited: the receiver does not leave its call without it.
    void answer(Rank to, const McastAnswer& answer, bool awaited);

    // Hands over what has come; whether anything has.
    bool move();
    // Whether nothing that others wait for is under way.
    bool has_left() const { return leaving_ == 0; }
    // Whether nothing at all is under way or expected. All ranks of the job move all of theirs
    // until it is so, before the communicator goes.
    bool is_over() const { return messages_.empty(); }

private:
    enum class What { out, status, answer };
    struct Message {
        What what{};
        Rank peer = 0;
        std::vector<std::byte> text;
        bool awaited = true;
    };
    int add(What what, Rank peer, std::vector<std::byte> text);
    void send(Rank to, std::vector<std::byte> text, int tag, bool awaited);
    void expect_status(Rank from);
    void take(const Message& message);

    std::unique_ptr<Transport> transport_;
    int status_tag_, answer_tag_;
    Bytes payload_;
    std::map<std::uint32_t, Listener*> listeners_;
    std::map<int, Message> messages_;
    int next_ = 0, leaving_ = 0;
    std::map<Rank, int> expected_;  // messages that are to be said whole; one receive for each rank
    std::vector<int> ended_;
};

}  // namespace eco
