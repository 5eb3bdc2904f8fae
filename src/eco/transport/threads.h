// A transport between threads of one process, each a rank: for tests without MPI.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "eco/base/check.h"
#include "eco/transport/transport.h"

namespace eco {

class ThreadsExchange {
public:
    explicit ThreadsExchange(int ranks) : ended_(static_cast<std::size_t>(ranks)) {}

    // A rank's own end; each is used by one thread.
    std::unique_ptr<Transport> end_of(Rank rank) { return std::make_unique<End>(*this, rank); }

private:
    struct Send {
        int id;
        const void* data;
        Bytes bytes;
    };
    struct Recv {
        int id;
        void* data;
        Bytes bytes;
    };
    using Channel = std::tuple<Rank, Rank, int>;

    class End : public Transport {
    public:
        End(ThreadsExchange& exchange, Rank rank) : exchange_(exchange), rank_(rank) {}
        void send(int id, const void* data, Bytes bytes, Rank to, int tag) override {
            const std::lock_guard lock(exchange_.mutex_);
            exchange_.sends_[{rank_, to, tag}].push_back({id, data, bytes});
            exchange_.match({rank_, to, tag});
        }
        void recv(int id, void* data, Bytes bytes, Rank from, int tag) override {
            const std::lock_guard lock(exchange_.mutex_);
            exchange_.recvs_[{from, rank_, tag}].push_back({id, data, bytes});
            exchange_.match({from, rank_, tag});
        }
        void wait(std::vector<int>& ended) override {
            std::unique_lock lock(exchange_.mutex_);
            auto& mine = exchange_.ended_[static_cast<std::size_t>(rank_)];
            exchange_.changed_.wait(lock, [&] { return !mine.empty(); });
            ended.insert(ended.end(), mine.begin(), mine.end());
            mine.clear();
        }

    private:
        ThreadsExchange& exchange_;
        Rank rank_;
    };

    void match(const Channel& channel) {
        auto& sends = sends_[channel];
        auto& recvs = recvs_[channel];
        while (!sends.empty() && !recvs.empty()) {
            const auto [send_id, data, sent] = sends.front();
            const auto [recv_id, target, room] = recvs.front();
            ECO_CHECK(sent == room);
            if (sent > 0) std::memcpy(target, data, static_cast<std::size_t>(sent));
            ended_[static_cast<std::size_t>(std::get<0>(channel))].push_back(send_id);
            ended_[static_cast<std::size_t>(std::get<1>(channel))].push_back(recv_id);
            sends.pop_front();
            recvs.pop_front();
        }
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Channel, std::deque<Send>> sends_;
    std::map<Channel, std::deque<Recv>> recvs_;
    std::vector<std::vector<int>> ended_;
};

}  // namespace eco
