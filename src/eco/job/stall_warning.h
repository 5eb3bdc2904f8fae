// SPDX-License-Identifier: BSD-3-Clause
// What to do, in one line, where a rank waits long in MPI_Init for the session to begin: a job may
// have several programs, some of which wait for this one in another call. Used by session.cpp.
#pragma once

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

#include "eco/mpi/native.h"

namespace eco {

// While one lives for long, a line says what MPI_Init waits for. Says it on the first two ranks and
// the last one, of which one waits in most such jobs.
class StallWarning {
public:
    // threads: MPI_THREAD_MULTIPLE, with which it cannot be otherwise.
    StallWarning(int rank, bool threads) {
        int ranks = 0;
        native().Comm_size(native().comm_world, &ranks);
        if (rank > 1 && rank < ranks - 1) return;
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's signals are not for it
        try {
            thread_ = std::thread([this, rank, threads] { run(rank, threads); });
        } catch (const std::system_error&) {
            // Then nothing is said.
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    ~StallWarning() {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }
    StallWarning(const StallWarning&) = delete;
    StallWarning& operator=(const StallWarning&) = delete;

private:
    void run(int rank, bool threads) {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, long_wait, [this] { return over_; })) return;
        std::fprintf(stderr,
                     "eco: rank %d has waited for %d s in MPI_Init for other ranks; if the job has "
                     "several programs, %s\n",
                     rank, static_cast<int>(long_wait.count()),
                     threads ? "start them without ECO, as this one uses MPI_THREAD_MULTIPLE"
                             : "set ECO_BEGIN=later for all ranks");
    }

    static constexpr std::chrono::seconds long_wait{20};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace eco
