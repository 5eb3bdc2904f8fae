// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/timeline.h"

#include <algorithm>

#include "eco/base/at.h"
#include "eco/base/check.h"

namespace eco {

int Timeline::bottleneck() const {
    int most = -1;
    for (int link = 0; link < static_cast<int>(links.size()); ++link)
        if (links[at(link)].share > 0 &&
            (most < 0 || links[at(link)].share > links[at(most)].share))
            most = link;
    return most;
}

namespace {

// Walks from the end back to time 0.
class Walk {
public:
    explicit Walk(const Timeline& timeline) : timeline_(timeline) {}

    std::vector<Step> steps() {
        Rank last = 0;
        int task = -1;
        for (Rank rank = 0; rank < static_cast<Rank>(timeline_.tasks.size()); ++rank)
            for (int t = 0; t < static_cast<int>(timeline_.tasks[at(rank)].size()); ++t)
                if (task < 0 || times(rank, t).end > times(last, task).end) {
                    last = rank;
                    task = t;
                }
        if (task >= 0) {
            rank_ = last;
            end_of(task);
            while (task_ >= 0) takes_ ? back_from_take() : back_from_work();
        }
        std::reverse(steps_.begin(), steps_.end());
        return std::move(steps_);
    }

private:
    const TaskTimes& times(Rank rank, int task) const {
        return timeline_.tasks[at(rank)][at(task)];
    }
    const MessageTimes& message(int number) const { return timeline_.messages[at(number)]; }
    bool is_send(Rank rank, int task) const {
        const int number = times(rank, task).message;
        return number >= 0 && message(number).from == rank && message(number).send == task;
    }

    void add(Step::What what, Rank rank, int task, Rank peer, Seconds start, Seconds end) {
        if (end > start) steps_.push_back({what, rank, task, peer, start, end});
    }
    void go_to(int task, bool takes) {
        task_ = task;
        takes_ = takes;
    }

    // To what made a task of rank_ end when it did; -1: nothing, it began all by itself.
    void end_of(int task) {
        while (task >= 0) {
            const TaskTimes& here = times(rank_, task);
            if (is_send(rank_, task)) return go_to(flow(here.message), false);
            // Work that takes no time may still have waited for its rank.
            const bool worked = here.end > here.work.start || here.work.before >= 0;
            if (here.message < 0 || (here.work.end == here.end && worked))
                return go_to(task, false);
            if (here.take.end == here.end) return go_to(task, true);
            task = here.waited_for;
        }
        go_to(-1, false);
    }

    void back_from_work() {
        const TaskTimes& here = times(rank_, task_);
        const bool sends = is_send(rank_, task_);
        add(sends ? Step::What::send : Step::What::compute, rank_, task_,
            sends ? message(here.message).to : -1, here.work.start, here.work.end);
        if (here.work.before >= 0) return go_to(here.work.before, here.work.before_takes);
        if (here.message >= 0 && !sends && here.take.end >= here.ready) return go_to(task_, true);
        end_of(here.waited_for);
    }

    void back_from_take() {
        const TaskTimes& here = times(rank_, task_);
        const MessageTimes& arrival = message(here.message);
        add(Step::What::receive, rank_, task_, arrival.from, here.take.start, here.take.end);
        if (here.take.before >= 0) return go_to(here.take.before, here.take.before_takes);
        if (arrival.arrived < here.take.start) return end_of(here.waited_for);
        add(Step::What::delay, arrival.from, arrival.send, arrival.to, arrival.left,
            arrival.arrived);
        rank_ = arrival.from;
        end_of(arrival.send);
    }

    // Back over messages that kept each other waiting; the send of the first. One waits for all of
    // another of its pair or the other way, or for another of its host to be on the wire.
    int flow(int number) {
        Seconds end = message(number).left;
        while (true) {
            const MessageTimes& moved = message(number);
            add(Step::What::flow, moved.from, moved.send, moved.to, moved.start, end);
            rank_ = moved.from;
            if (moved.before < 0) return moved.send;
            end = moved.start;
            number = moved.before;
        }
    }

    const Timeline& timeline_;
    std::vector<Step> steps_;
    Rank rank_ = 0;
    int task_ = -1;
    bool takes_ = false;  // at the task's receive overhead, else at its own work
};

}  // namespace

std::vector<Step> Timeline::chain() const { return Walk(*this).steps(); }

void Timeline::stretch(double factor) {
    time *= factor;
    for (auto& of_rank : tasks)
        for (TaskTimes& task : of_rank)
            for (Seconds* moment : {&task.ready, &task.take.start, &task.take.end, &task.work.start,
                                    &task.work.end, &task.end})
                *moment *= factor;
    for (MessageTimes& message : messages)
        for (Seconds* moment : {&message.posted, &message.start, &message.left, &message.arrived})
            *moment *= factor;
    for (LinkTimes& link : links) {
        link.busy *= factor;
        link.share /= factor;
    }
}

}  // namespace eco
