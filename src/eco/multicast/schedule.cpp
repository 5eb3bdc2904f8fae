// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/schedule.h"

#include <algorithm>
#include <string>

#include "eco/base/at.h"
#include "eco/base/error.h"

namespace eco::multicast {

namespace {

// A message on its way to one rank; a sound schedule has one of each.
std::size_t delivery(const Pattern& pattern, int message, Rank to) {
    return at(message) * at(pattern.ranks()) + at(to);
}

void check_names(const Pattern& pattern, const Schedule& schedule) {
    const auto refuse = [](const std::string& why) {
        throw Error(Code::bad_input,
                    "the schedule " + why + "; it is not one of this multicast problem");
    };
    if (schedule.ranks.size() != at(pattern.ranks()))
        refuse("has tasks for " + std::to_string(schedule.ranks.size()) + " ranks, the pattern " +
               std::to_string(pattern.ranks()));
    for (const auto& tasks : schedule.ranks)
        for (const TimedTask& task : tasks) {
            if (task.peer < 0 || task.peer >= pattern.ranks())
                refuse("names rank " + std::to_string(task.peer));
            if (task.message < 0 || at(task.message) >= pattern.messages.size())
                refuse("names message " + std::to_string(task.message));
        }
}

}  // namespace

void run(const Pattern& pattern, Schedule& schedule) {
    check_names(pattern, schedule);
    const CostModel& model = pattern.model;
    const std::size_t ranks = schedule.ranks.size();
    std::vector<Seconds> arrival(pattern.messages.size() * ranks, -1);
    std::vector<bool> awaited(arrival.size());
    std::vector<std::size_t> next(ranks);
    std::vector<Seconds> idle_from(ranks);
    std::vector<Rank> ready(ranks);
    for (std::size_t i = 0; i < ranks; ++i) ready[i] = static_cast<Rank>(i);
    schedule.completion = 0;
    while (!ready.empty()) {
        const Rank me = ready.back();
        ready.pop_back();
        auto& tasks = schedule.ranks[at(me)];
        for (; next[at(me)] < tasks.size(); ++next[at(me)]) {
            TimedTask& task = tasks[next[at(me)]];
            const Bytes bytes = pattern.messages[at(task.message)].bytes;
            task.start = idle_from[at(me)];
            if (task.direction == Direction::send) {
                task.end = task.start + model.send[at(me)].of(bytes);
                const std::size_t way = delivery(pattern, task.message, task.peer);
                arrival[way] = task.end + model.transfer(me, task.peer).of(bytes);
                if (awaited[way]) ready.push_back(task.peer);
                awaited[way] = false;
            } else {
                const std::size_t way = delivery(pattern, task.message, me);
                if (arrival[way] < 0) {
                    awaited[way] = true;
                    break;
                }
                task.end = std::max(task.start, arrival[way]) + model.receive[at(me)].of(bytes);
                schedule.completion = std::max(schedule.completion, task.end);
            }
            idle_from[at(me)] = task.end;
        }
    }
    for (std::size_t i = 0; i < ranks; ++i)
        if (next[i] < schedule.ranks[i].size())
            throw Error(Code::bad_input,
                        "the schedule never ends: rank " + std::to_string(i) +
                            " waits for message " +
                            std::to_string(schedule.ranks[i][next[i]].message) +
                            ", which no rank can send before that; correct the order of its tasks");
}

}  // namespace eco::multicast
