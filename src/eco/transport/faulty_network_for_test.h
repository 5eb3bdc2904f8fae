// SPDX-License-Identifier: BSD-3-Clause
// For tests of multicasts: a network in memory that loses, doubles and delays datagrams. Each rank
// is a thread.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "eco/base/at.h"
#include "eco/transport/mcast_transport.h"

namespace eco {

struct Faults {
    double loss = 0;  // of the datagrams, each receiver by itself
    double twice = 0;
    double late = 0;  // that let the next ones overtake them
    int lost_consecutively = 1;
    std::vector<Rank> deaf;            // nothing reaches them
    bool every_other_call = false;     // is lost as a whole
    bool only_what_left_last = false;  // lost: of each message, the first time
    bool strangers = false;            // others' datagrams, and cut ones, come too
};

// All get what one sends, the sender too, as by a socket with loopback.
class FaultyNetwork {
public:
    // most_bytes: of a datagram.
    FaultyNetwork(int ranks, const Faults& faults, Bytes most_bytes, unsigned seed)
        : arrived_(at(ranks)),
          losing_(at(ranks)),
          faults_(faults),
          most_bytes_(most_bytes),
          random_(seed) {}

    std::int64_t sent() const { return sent_; }

    std::unique_ptr<Datagrams> end_of(Rank rank) { return std::make_unique<End>(*this, rank); }

private:
    struct Copy {
        McastHeader header;
        std::vector<std::byte> data;
        McastAddress from;
    };
    class End : public Datagrams {
    public:
        End(FaultyNetwork& network, Rank rank) : network_(network), rank_(rank) {}
        std::size_t send(std::span<const Datagram> datagrams, const McastAddress& to) override {
            const std::lock_guard lock(network_.mutex_);
            for (const Datagram& each : datagrams) network_.spread(each, rank_, to);
            return datagrams.size();
        }
        bool receive(std::size_t most, const Take& take) override {
            std::deque<Copy> now;
            {
                const std::lock_guard lock(network_.mutex_);
                auto& mine = network_.arrived_[at(rank_)];
                while (!mine.empty() && now.size() < most) {
                    now.push_back(std::move(mine.front()));
                    mine.pop_front();
                }
            }
            for (const Copy& copy : now) take(copy.header, copy.data, copy.from);
            return !now.empty();
        }
        void sleep(Seconds longest) override {
            std::this_thread::sleep_for(std::chrono::duration<double>(std::min(longest, 1e-4)));
        }

    private:
        FaultyNetwork& network_;
        Rank rank_;
    };

    bool chance(double part) { return std::uniform_real_distribution<>()(random_) < part; }

    static McastAddress address_of(Rank rank) {
        return {{}, 0, static_cast<std::uint16_t>(rank + 1)};
    }

    void spread(const Datagram& each, Rank from, const McastAddress& only) {
        if (each.header.kind == McastKind::data) ++sent_;
        for (Rank to = 0; to < static_cast<Rank>(arrived_.size()); ++to) {
            if (only != all_of_the_job && only != address_of(to)) continue;
            if (std::find(faults_.deaf.begin(), faults_.deaf.end(), to) != faults_.deaf.end())
                continue;
            const bool first_time = each.header.kind == McastKind::data;
            if (faults_.every_other_call && each.header.call % 2 == 0) continue;
            if (faults_.only_what_left_last && first_time && each.bytes < most_bytes_) continue;
            if (losing_[at(to)] == 0 && chance(faults_.loss))
                losing_[at(to)] = faults_.lost_consecutively;
            if (losing_[at(to)] > 0) {
                --losing_[at(to)];
                continue;
            }
            Copy copy{each.header, {each.data, each.data + each.bytes}, address_of(from)};
            auto& queue = arrived_[at(to)];
            if (faults_.strangers) {
                Copy other = copy;
                other.header.key[0] ^= 1;
                for (std::byte& byte : other.data) byte = std::byte{0xff};
                queue.push_back(other);
                other = copy;
                other.data.resize(other.data.size() / 2);
                queue.push_back(other);
                other = copy;
                other.header.index += 1000;
                queue.push_back(other);
            }
            if (chance(faults_.twice)) queue.push_back(copy);
            if (!queue.empty() && chance(faults_.late))
                queue.push_front(std::move(copy));
            else
                queue.push_back(std::move(copy));
        }
    }

    std::vector<std::deque<Copy>> arrived_;
    std::vector<int> losing_;
    const Faults faults_;
    const Bytes most_bytes_;
    std::int64_t sent_ = 0;
    std::mt19937 random_;
    std::mutex mutex_;
};

constexpr double rate = 1e8;
constexpr int tags = 64, talk_tag = 1 << 30;

}  // namespace eco
