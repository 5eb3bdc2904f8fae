// SPDX-License-Identifier: BSD-3-Clause
// The best completion of a tiny pattern by trying every order of sends and receives: the reference
// of tests. Some hundred thousand trials for four deliveries.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "eco/base/at.h"
#include "eco/multicast/pattern.h"

namespace eco::multicast {

class Optimum {
public:
    explicit Optimum(const Pattern& pattern)
        : pattern_(pattern), free_(at(pattern.ranks())), left_(pattern.deliveries()) {
        for (const Message& message : pattern.messages) {
            auto& row = state_.emplace_back(at(pattern.ranks()), State::nothing);
            for (const Rank to : message.destinations) row[at(to)] = State::wanted;
            row[at(message.source)] = State::held;
            arrival_.emplace_back(at(pattern.ranks()), 0.0);
        }
    }

    Seconds completion() {
        search(0);
        return best_;
    }

private:
    enum class State { nothing, wanted, under_way, held };
    void search(Seconds completion) {
        if (completion >= best_) return;
        if (left_ == 0) {
            best_ = completion;
            return;
        }
        for (std::size_t k = 0; k < state_.size(); ++k)
            for (Rank to = 0; to < pattern_.ranks(); ++to) {
                if (state_[k][at(to)] == State::under_way) receive(k, to, completion);
                if (state_[k][at(to)] == State::wanted)
                    for (Rank from = 0; from < pattern_.ranks(); ++from)
                        if (state_[k][at(from)] == State::held) send(k, from, to, completion);
            }
    }

    void send(std::size_t k, Rank from, Rank to, Seconds completion) {
        const Bytes bytes = pattern_.messages[k].bytes;
        const Seconds before = free_[at(from)];
        free_[at(from)] += pattern_.model.send[at(from)].of(bytes);
        arrival_[k][at(to)] = free_[at(from)] + pattern_.model.transfer(from, to).of(bytes);
        state_[k][at(to)] = State::under_way;
        search(completion);
        state_[k][at(to)] = State::wanted;
        free_[at(from)] = before;
    }

    void receive(std::size_t k, Rank to, Seconds completion) {
        const Bytes bytes = pattern_.messages[k].bytes;
        const Seconds before = free_[at(to)];
        free_[at(to)] =
            std::max(before, arrival_[k][at(to)]) + pattern_.model.receive[at(to)].of(bytes);
        state_[k][at(to)] = State::held;
        --left_;
        search(std::max(completion, free_[at(to)]));
        ++left_;
        state_[k][at(to)] = State::under_way;
        free_[at(to)] = before;
    }

    const Pattern& pattern_;
    std::vector<Seconds> free_;
    std::size_t left_;
    std::vector<std::vector<State>> state_;
    std::vector<std::vector<Seconds>> arrival_;
    Seconds best_ = std::numeric_limits<Seconds>::infinity();
};

// A pattern of `ranks` alike: figures in seconds, for cases worked by hand.
inline Pattern hand_pattern(int ranks, Cost send, Cost transfer, Cost receive,
                            std::vector<Message> messages) {
    Pattern pattern;
    const auto count = static_cast<std::size_t>(ranks);
    pattern.model.send.assign(count, send);
    pattern.model.receive.assign(count, receive);
    pattern.model.transfers.assign(count * count, transfer);
    pattern.messages = std::move(messages);
    check(pattern, "by hand");
    return pattern;
}

}  // namespace eco::multicast
