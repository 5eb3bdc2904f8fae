// SPDX-License-Identifier: BSD-3-Clause
#include "eco/run/prepared.h"

#include <algorithm>

#include "eco/base/at.h"
#include "eco/run/execution_memory.h"

namespace eco {

Prepared::Prepared(Program program, int first_tag)
    : program_(std::move(program)), first_tag_(first_tag) {
    program_.tasks.shrink_to_fit();
    program_.chunks.shrink_to_fit();
    program_.waits.shrink_to_fit();
    for (const Task& task : program_.tasks) tags_ = std::max(tags_, task.tag + 1);
    find_followers();
    find_slots();
}

Prepared::~Prepared() { delete spare_.load(); }

template <typename Item>
static std::size_t bytes_of(const std::vector<Item>& items) {
    return items.capacity() * sizeof(Item);
}

std::size_t Prepared::bytes() const {
    std::size_t bytes = sizeof *this + sizeof(ExecutionMemory) + bytes_of(program_.tasks) +
                        bytes_of(program_.chunks) + bytes_of(program_.waits) +
                        bytes_of(program_.receivers) + bytes_of(scratch_chunks_) +
                        bytes_of(from_slot_) + bytes_of(to_slot_);
    for (const auto& receivers : program_.receivers) bytes += bytes_of(receivers);
    for (const Lists* lists : {&followers_, &paced_})
        bytes += bytes_of(lists->first) + bytes_of(lists->all);
    bytes += program_.tasks.size() * sizeof(ExecutionMemory::State);
    return bytes + scratch_chunks_.size() * sizeof(Bytes);  // where each slot begins
}

std::span<const std::int32_t> Prepared::Lists::of(int task) const {
    if (first.empty()) return {};
    return {all.data() + first[at(task)], all.data() + first[at(task + 1)]};
}

// waits: calls what it is given with each task and one that it waits for.
template <typename Waits>
Prepared::Lists Prepared::reversed(Waits&& waits, std::size_t tasks) {
    Lists lists;
    lists.first.assign(tasks + 1, 0);
    waits([&](std::int32_t, std::int32_t waited_for) { ++lists.first[at(waited_for) + 1]; });
    for (std::size_t task = 0; task < tasks; ++task) lists.first[task + 1] += lists.first[task];
    lists.all.resize(at(lists.first[tasks]));
    auto next = lists.first;
    waits([&](std::int32_t task, std::int32_t waited_for) {
        lists.all[at(next[at(waited_for)]++)] = task;
    });
    if (lists.all.empty()) lists.first = {};
    return lists;
}

void Prepared::find_followers() {
    const auto tasks = static_cast<std::int32_t>(program_.tasks.size());
    followers_ = reversed(
        [&](auto&& what) {
            for (std::int32_t task = 0; task < tasks; ++task)
                for (const auto wait : program_.waits_of(program_.tasks[at(task)]))
                    what(task, wait);
        },
        program_.tasks.size());
    paced_ = reversed(
        [&](auto&& what) {
            for (std::int32_t task = 0; task < tasks; ++task)
                if (const auto pace = program_.tasks[at(task)].pace; pace >= 0) what(task, pace);
        },
        program_.tasks.size());
}

// In the order of places and chunks, so that neighbouring chunks are neighbours in memory.
void Prepared::find_slots() {
    const auto key = [this](Buffer buffer, int position) {
        return static_cast<std::uint64_t>(buffer) << 32 |
               static_cast<std::uint32_t>(program_.chunks[at(position)]);
    };
    std::vector<std::uint64_t> keys;
    for (const Task& task : program_.tasks)
        for (const Buffer buffer : {task.from, task.to})
            for (int p = task.first_chunk; buffer >= scratch(0) && p < task.end_chunk; ++p)
                keys.push_back(key(buffer, p));
    if (keys.empty()) return;
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (const auto each : keys) scratch_chunks_.push_back(static_cast<Chunk>(each));
    const auto find = [&](Buffer buffer, const Task& task, std::vector<std::int32_t>& slots) {
        if (buffer < scratch(0)) return;
        slots.resize(program_.chunks.size(), -1);
        auto last = keys.begin();
        for (int p = task.first_chunk; p < task.end_chunk; ++p) {
            const auto wanted = key(buffer, p);
            // Mostly the next one.
            if (last == keys.end() || *last != wanted)
                last = std::lower_bound(keys.begin(), keys.end(), wanted);
            slots[at(p)] = static_cast<std::int32_t>(last - keys.begin());
            ++last;
        }
    };
    for (const Task& task : program_.tasks) {
        find(task.from, task, from_slot_);
        find(task.to, task, to_slot_);
    }
}

}  // namespace eco
