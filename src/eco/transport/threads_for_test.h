// SPDX-License-Identifier: BSD-3-Clause
// A transport between threads of one process, each a rank: for tests without MPI.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "eco/base/check.h"
#include "eco/transport/transport.h"

namespace eco {

class ThreadsExchange {
public:
    // to := to ∘ from
    using Combine = std::function<void(std::byte* to, const std::byte* from, Bytes bytes)>;

    // hierarchy, combine: for native parts, if there are any.
    explicit ThreadsExchange(const Hierarchy* hierarchy = nullptr, Combine combine = {})
        : hierarchy_(hierarchy), combine_(std::move(combine)) {}

    // As with MPI; schedules know their lengths.
    bool shorter_may_come = false;

    // A rank's end for one call; each is used by one thread.
    std::unique_ptr<Transport> end_of(Rank rank) { return std::make_unique<End>(*this, rank); }

private:
    struct Send {
        int id;
        const void* data;
        Bytes bytes;
        std::vector<int>* ended;  // of the call's own end
    };
    struct Recv {
        int id;
        void* data;
        Bytes bytes;
        std::vector<int>* ended;
    };
    using Channel = std::tuple<Rank, Rank, int>;

    class End : public Transport {
    public:
        End(ThreadsExchange& exchange, Rank rank) : exchange_(exchange), rank_(rank) {}
        void send(int id, const void* data, Bytes bytes, Rank to, int tag) override {
            const std::lock_guard lock(exchange_.mutex_);
            exchange_.sends_[{rank_, to, tag}].push_back({id, data, bytes, &ended_});
            exchange_.match({rank_, to, tag});
        }
        void recv(int id, void* data, Bytes bytes, Rank from, int tag) override {
            const std::lock_guard lock(exchange_.mutex_);
            exchange_.recvs_[{from, rank_, tag}].push_back({id, data, bytes, &ended_});
            exchange_.match({from, rank_, tag});
        }
        void wait(std::vector<int>& ended) override {
            std::unique_lock lock(exchange_.mutex_);
            exchange_.changed_.wait(lock, [&] { return !ended_.empty(); });
            ended.insert(ended.end(), ended_.begin(), ended_.end());
            ended_.clear();
        }
        void poll(std::vector<int>& ended) override {
            const std::lock_guard lock(exchange_.mutex_);
            ended.insert(ended.end(), ended_.begin(), ended_.end());
            ended_.clear();
        }
        void native_part(Operation part, const void* from, void* to, Bytes bytes,
                         Rank root) override {
            std::unique_lock lock(exchange_.mutex_);
            const auto& group = innermost(exchange_.hierarchy_->top, rank_).ranks;
            Meeting& meeting = exchange_.meetings_[group.front()];
            const int number = meeting.number;
            meeting.places[rank_] = {static_cast<const std::byte*>(from),
                                     static_cast<std::byte*>(to)};
            if (meeting.places.size() == group.size()) {
                exchange_.hold(meeting, part, bytes, root);
                exchange_.changed_.notify_all();
            }
            exchange_.changed_.wait(lock, [&] { return meeting.number != number; });
        }

    private:
        ThreadsExchange& exchange_;
        Rank rank_;
        std::vector<int> ended_;
    };

    void match(const Channel& channel) {
        auto& sends = sends_[channel];
        auto& recvs = recvs_[channel];
        while (!sends.empty() && !recvs.empty()) {
            const auto [send_id, data, sent, sender] = sends.front();
            const auto [recv_id, target, room, receiver] = recvs.front();
            ECO_CHECK(sent == room || (shorter_may_come && sent < room));
            if (sent > 0) std::memcpy(target, data, static_cast<std::size_t>(sent));
            sender->push_back(send_id);
            receiver->push_back(recv_id);
            sends.pop_front();
            recvs.pop_front();
        }
        changed_.notify_all();
    }

    // Of a group, for one native part.
    struct Meeting {
        std::map<Rank, std::pair<const std::byte*, std::byte*>> places;
        int number = 0;
    };

    void hold(Meeting& meeting, Operation part, Bytes bytes, Rank root) const {
        std::vector<std::byte> result(static_cast<std::size_t>(bytes));
        bool first = true;
        for (const auto& [rank, place] : meeting.places) {
            ECO_CHECK((place.first != nullptr) == (part != Operation::bcast || rank == root));
            if (!place.first || part == Operation::barrier) continue;
            if (first && bytes > 0)
                std::memcpy(result.data(), place.first, result.size());
            else if (!first)
                combine_(result.data(), place.first, bytes);
            first = false;
        }
        for (const auto& [rank, place] : meeting.places)
            if (place.second && bytes > 0 && part != Operation::barrier)
                std::memcpy(place.second, result.data(), result.size());
        meeting.places.clear();
        ++meeting.number;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Channel, std::deque<Send>> sends_;
    std::map<Channel, std::deque<Recv>> recvs_;
    const Hierarchy* hierarchy_;
    Combine combine_;
    std::map<Rank, Meeting> meetings_;  // by the group's first rank
};

}  // namespace eco
