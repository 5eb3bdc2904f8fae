// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_messages.h"

#include <limits>

#include "eco/base/check.h"

namespace eco {

McastMessages::~McastMessages() {
    // Messages are under way into and out of these.
    for (auto& [id, message] : messages_)
        static_cast<void>(new std::vector<std::byte>(std::move(message.text)));
}

int McastMessages::add(What what, Rank peer, std::vector<std::byte> text) {
    next_ = next_ == std::numeric_limits<int>::max() ? 0 : next_ + 1;
    messages_[next_] = {what, peer, std::move(text), true};
    return next_;
}

void McastMessages::send(Rank to, std::vector<std::byte> text, int tag, bool awaited) {
    const int id = add(What::out, to, std::move(text));
    messages_.at(id).awaited = awaited;
    if (awaited) ++leaving_;
    const auto& kept = messages_.at(id).text;
    transport_->send(id, kept.data(), static_cast<Bytes>(kept.size()), to, tag);
}

void McastMessages::expect_status(Rank from) {
    const int id =
        add(What::status, from, std::vector<std::byte>(static_cast<std::size_t>(longest_status)));
    transport_->recv(id, messages_.at(id).text.data(), longest_status, from, status_tag_);
}

void McastMessages::expect(Rank from) {
    if (++expected_[from] == 1) expect_status(from);
}

void McastMessages::tell(Rank to, const McastStatus& status) {
    if (status.asks) {
        const Bytes longest = longest_answer(payload_);
        const int id =
            add(What::answer, to, std::vector<std::byte>(static_cast<std::size_t>(longest)));
        transport_->recv(id, messages_.at(id).text.data(), longest, to, answer_tag_);
    }
    send(to, written(status), status_tag_, true);
}

void McastMessages::answer(Rank to, const McastAnswer& answer, bool awaited) {
    send(to, written(answer), answer_tag_, awaited);
}

void McastMessages::take(const Message& message) {
    if (message.what == What::answer) {
        const McastAnswer answer = read_answer(message.text);
        const auto listener = listeners_.find(answer.call);
        if (listener != listeners_.end()) listener->second->answer(message.peer, answer);
        return;
    }
    const McastStatus status = read_status(message.text);
    int& expected = expected_.at(message.peer);
    expected -= static_cast<int>(status.whole.size());
    ECO_CHECK(expected >= 0);
    if (expected > 0) expect_status(message.peer);
    if (const auto listener = listeners_.find(status.call); listener != listeners_.end())
        listener->second->status(message.peer, status);
    else if (status.asks)
        answer(message.peer, {McastAnswer::never, {}, {}, status.call}, status.by_multicast == 0);
}

bool McastMessages::move() {
    ended_.clear();
    transport_->poll(ended_);
    for (const int id : ended_) {
        const auto found = messages_.find(id);
        const Message message = std::move(found->second);
        messages_.erase(found);
        if (message.what != What::out)
            take(message);
        else if (message.awaited)
            --leaving_;
    }
    return !ended_.empty();
}

}  // namespace eco
