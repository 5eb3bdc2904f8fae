// SPDX-License-Identifier: BSD-3-Clause
// A pattern's figures laid out for the planners' inner loops: messages sorted by size, the costs of
// every message at hand, sets of messages as bits. Here k counts in the sorted order.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "eco/base/at.h"
#include "eco/multicast/pattern.h"

namespace eco::multicast {

// Sets of messages, one per rank, as rows of bits; the first is the shortest message.
class MessageSets {
public:
    MessageSets(std::size_t ranks, std::size_t messages)
        : words_((messages + 63) / 64), bits_(ranks * words_) {}

    void insert(Rank rank, int k) { word(rank, k) |= bit(k); }
    void erase(Rank rank, int k) { word(rank, k) &= ~bit(k); }
    bool holds(Rank rank, int k) const {
        return (row(rank)[static_cast<std::size_t>(k) / 64] & bit(k)) != 0;
    }
    bool empty(Rank rank) const {
        for (std::size_t w = 0; w < words_; ++w)
            if (row(rank)[w] != 0) return false;
        return true;
    }
    // The shortest message that both sets hold; -1 if there is none. O(messages / 64).
    static int first_common(const MessageSets& a, Rank in_a, const MessageSets& b, Rank in_b) {
        for (std::size_t w = 0; w < a.words_; ++w)
            if (const auto both = a.row(in_a)[w] & b.row(in_b)[w]; both != 0)
                return static_cast<int>(w) * 64 + std::countr_zero(both);
        return -1;
    }
    // Calls visit(k) for every message that both hold.
    template <typename Visit>
    static void each_common(const MessageSets& a, Rank in_a, const MessageSets& b, Rank in_b,
                            Visit visit) {
        for (std::size_t w = 0; w < a.words_; ++w)
            for (auto both = a.row(in_a)[w] & b.row(in_b)[w]; both != 0; both &= both - 1)
                visit(static_cast<int>(w) * 64 + std::countr_zero(both));
    }

private:
    static std::uint64_t bit(int k) { return std::uint64_t{1} << (static_cast<unsigned>(k) % 64U); }
    const std::uint64_t* row(Rank rank) const {
        return bits_.data() + static_cast<std::size_t>(rank) * words_;
    }
    std::uint64_t& word(Rank rank, int k) {
        return bits_[static_cast<std::size_t>(rank) * words_ + static_cast<std::size_t>(k) / 64];
    }

    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

class Times {
public:
    explicit Times(const Pattern& pattern);

    int ranks() const { return ranks_; }
    int messages() const { return static_cast<int>(original_.size()); }
    const Message& message(int k) const { return pattern_->messages[at(original(k))]; }
    int original(int k) const { return original_[at(k)]; }  // index into Pattern::messages
    Bytes bytes(int k) const { return message(k).bytes; }
    Rank source(int k) const { return source_[at(k)]; }
    const Pattern& pattern() const { return *pattern_; }

    Seconds send(Rank from, int k) const { return send_[cell(from, k)]; }
    Seconds receive(Rank to, int k) const { return receive_[cell(to, k)]; }
    Seconds transfer(Rank from, Rank to, int k) const {
        const Cost& cost = transfers_[at(from) * at(ranks_) + at(to)];
        return cost.fixed + cost.per_byte * bytes_[at(k)];
    }
    // Of the edges: what a message takes from one idle rank to another, equation 1.
    Seconds edge(Rank from, Rank to, int k) const {
        return send(from, k) + transfer(from, to, k) + receive(to, k);
    }
    // To break ties: smaller is faster at sending and receiving, on the mean of all messages.
    Seconds slowness(Rank rank) const { return slowness_[at(rank)]; }

    // Per rank the messages that it is a destination of.
    MessageSets wanted() const;

private:
    std::size_t cell(Rank rank, int k) const { return at(rank) * original_.size() + at(k); }

    const Pattern* pattern_;
    int ranks_;
    std::vector<int> original_;
    std::vector<Rank> source_;
    std::vector<double> bytes_;
    std::vector<Seconds> send_, receive_, slowness_;
    const Cost* transfers_;
};

}  // namespace eco::multicast
