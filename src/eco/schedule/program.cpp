// SPDX-License-Identifier: BSD-3-Clause
#include "eco/schedule/program.h"

#include <algorithm>
#include <numeric>

namespace eco {

std::vector<Chunk> all_chunks(int count) {
    std::vector<Chunk> chunks(static_cast<std::size_t>(count));
    std::iota(chunks.begin(), chunks.end(), 0);
    return chunks;
}

std::uint64_t Builder::memory_of(Buffer buffer, Chunk chunk) const {
    const auto memory = static_cast<std::uint64_t>(aliases_ && buffer == output ? input : buffer);
    return memory << 32 | static_cast<std::uint32_t>(chunk);
}

void Builder::add(Task task, std::span<const Chunk> chunks, bool reads, bool writes) {
    const auto index = static_cast<std::int32_t>(program_.tasks.size());
    const auto wait_for = [&](std::int32_t other) {
        if (other >= 0 && other != index && (waits_.empty() || waits_.back() != other))
            waits_.push_back(other);
    };
    wait_for(last_native_);
    for (const Chunk chunk : chunks) {
        if (reads) {
            Uses::Use& source = uses_.of(memory_of(task.from, chunk));
            wait_for(source.writer);
            uses_.add_reader(source, index);
        }
        if (writes) {
            Uses::Use& target = uses_.of(memory_of(task.to, chunk));
            wait_for(target.writer);
            uses_.for_readers(target, wait_for);
            target.readers = -1;
            target.writer = index;
        }
    }
    std::sort(waits_.begin(), waits_.end());
    waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
    task.first_chunk = static_cast<std::int32_t>(program_.chunks.size());
    program_.chunks.insert(program_.chunks.end(), chunks.begin(), chunks.end());
    task.end_chunk = static_cast<std::int32_t>(program_.chunks.size());
    task.first_wait = static_cast<std::int32_t>(program_.waits.size());
    program_.waits.insert(program_.waits.end(), waits_.begin(), waits_.end());
    waits_.clear();
    task.end_wait = static_cast<std::int32_t>(program_.waits.size());
    program_.tasks.push_back(task);
}

void Builder::send(Rank to, Buffer from, std::span<const Chunk> chunks) {
    auto& sent = sent_[to];
    if (window_ > 0 && sent.size() >= window_) wait_also_for(sent[sent.size() - window_]);
    if (ports_ > 0 && all_sent_.size() >= ports_)
        wait_also_for(all_sent_[all_sent_.size() - ports_]);
    sent.push_back(static_cast<std::int32_t>(program_.tasks.size()));
    all_sent_.push_back(sent.back());
    const auto tag = static_cast<std::int32_t>(sent.size() - 1);
    Task task{Kind::send, false, from, -1, to, tag, 0, 0, 0, 0};
    task.pace = std::exchange(pace_, -1);
    add(task, chunks, true, false);
}

void Builder::recv(Rank from, Buffer to, std::span<const Chunk> chunks) {
    add({Kind::recv, false, -1, to, from, received_[from]++, 0, 0, 0, 0}, chunks, false, true);
}

void Builder::reduce(Rank from, Buffer to, std::span<const Chunk> chunks, bool earlier) {
    add({Kind::reduce, earlier || commutes_, -1, to, from, received_[from]++, 0, 0, 0, 0}, chunks,
        false, true);
}

void Builder::copy(Buffer from, Buffer to, std::span<const Chunk> chunks) {
    add({Kind::copy, false, from, to, -1, 0, 0, 0, 0, 0}, chunks, true, true);
}

void Builder::combine(Buffer from, Buffer to, std::span<const Chunk> chunks, bool earlier) {
    add({Kind::combine, earlier || commutes_, from, to, -1, 0, 0, 0, 0, 0}, chunks, true, true);
}

void Builder::mcast(std::span<const Rank> to, Buffer from, std::span<const Chunk> chunks) {
    const auto number = static_cast<std::int32_t>(program_.receivers.size());
    program_.receivers.emplace_back(to.begin(), to.end());
    add({Kind::mcast, false, from, -1, -1, number, 0, 0, 0, 0}, chunks, true, false);
}

void Builder::mcast_recv(Rank from, Buffer to, std::span<const Chunk> chunks, std::int32_t number) {
    if (number < 0) number = mcasts_received_[from]++;
    add({Kind::mcast_recv, false, -1, to, from, number, 0, 0, 0, 0}, chunks, false, true);
}

void Builder::native(Operation part, Rank root, Buffer from, Buffer to,
                     std::span<const Chunk> chunks) {
    const auto index = static_cast<std::int32_t>(program_.tasks.size());
    for (std::int32_t task = last_native_ + 1; task < index; ++task) wait_also_for(task);
    add({Kind::native, false, from, to, root, 0, 0, 0, 0, 0, part}, chunks, from >= 0, to >= 0);
    last_native_ = index;
}

}  // namespace eco
