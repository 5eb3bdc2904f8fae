// SPDX-License-Identifier: BSD-3-Clause
#include "eco/run/execution.h"

#include <cstring>

#include "eco/base/at.h"
#include "eco/base/check.h"

namespace eco {

static void copy_bytes(std::byte* to, const std::byte* from, Bytes bytes) {
    if (bytes > 0 && to != from) std::memmove(to, from, static_cast<std::size_t>(bytes));
}

Execution::Execution(const Prepared& prepared, const Layout& layout, const Combine& combine,
                     Transport& transport, int first_tag)
    : prepared_(prepared),
      program_(prepared.program_),
      layout_(layout),
      combine_(combine),
      transport_(transport),
      first_tag_(first_tag + prepared.first_tag()),
      left_(program_.tasks.size()),
      memory_(prepared.spare_.exchange(nullptr)) {
    if (!memory_) memory_ = std::make_unique<ExecutionMemory>();
    memory_->use();
    memory_->states.resize(program_.tasks.size());
    memory_->slot_offset.clear();
    Bytes total = 0;
    for (const Chunk chunk : prepared.scratch_chunks_) {
        memory_->slot_offset.push_back(total);
        total += layout.bytes(chunk, program_.segments);
    }
    memory_->scratch.reserve(total);
}

Execution::~Execution() {
    if (left_ > 0) {
        [[maybe_unused]] const auto* kept = memory_.release();
        return;
    }
    memory_->keep();
    delete prepared_.spare_.exchange(memory_.release());
}

void Execution::start() {
    left_ = program_.tasks.size();
    for (std::size_t t = 0; t < program_.tasks.size(); ++t) {
        const Task& task = program_.tasks[t];
        State& mine = memory_->states[t];
        mine.waits_for = task.end_wait - task.first_wait;
        mine.paced = task.pace >= 0 && is_paced(task, length(task));
        mine.staged = false;
        if (mine.paced) mine.waits_for += 1;
        // What arrives for a reduction has memory of its own, so it is received at once, and the
        // combining waits for the arrival too.
        if (task.kind == Kind::reduce) {
            mine.waits_for += 1;
            receive(static_cast<int>(t));
        }
        if (mine.waits_for == 0) memory_->ready.push_back(static_cast<int>(t));
    }
    run_ready();
}

bool Execution::step(bool may_block) {
    if (left_ == 0) return true;
    auto& ended = memory_->ended;
    ended.clear();
    const bool may_leave = left_ == transport_.deferrable_sends();
    may_leave || !may_block ? transport_.poll(ended) : transport_.wait(ended);
    // The transport completes what is left.
    if (may_leave && ended.empty()) left_ = 0;
    for (const int task : ended)
        if (has_moved(task)) end(task);
    run_ready();
    return left_ == 0;
}

void Execution::run_ready() {
    auto& ready = memory_->ready;
    while (!ready.empty()) {
        const int task = ready.front();
        ready.pop_front();
        if (begin(task)) end(task);
    }
}

// slots: of what is in scratch.
Span Execution::span(Buffer buffer, const std::vector<std::int32_t>& slots, int position) const {
    const Chunk chunk = program_.chunks[at(position)];
    if (layout_.scratch_is_output && buffer != input) buffer = output;
    if (buffer < scratch(0)) return layout_.at(buffer, chunk, program_.segments);
    const Bytes offset = memory_->slot_offset[at(slots[at(position)])];
    return {memory_->scratch.data() + offset, layout_.bytes(chunk, program_.segments)};
}

Span Execution::from(const Task& task, int position) const {
    return span(task.from, prepared_.from_slot_, position);
}

Span Execution::to(const Task& task, int position) const {
    return span(task.to, prepared_.to_slot_, position);
}

Bytes Execution::length(const Task& task) const {
    Bytes bytes = 0;
    for (const Chunk chunk : program_.chunks_of(task))
        bytes += layout_.bytes(chunk, program_.segments);
    return bytes;
}

// The one stretch of memory that holds all chunks of a message, if they lie so.
std::byte* Execution::stretch(const Task& task, bool sending) const {
    std::byte *start = nullptr, *end = nullptr;
    for (int p = task.first_chunk; p < task.end_chunk; ++p) {
        const Span chunk = sending ? from(task, p) : to(task, p);
        if (chunk.bytes == 0) continue;
        if (start && chunk.data != end) return nullptr;
        if (!start) start = chunk.data;
        end = chunk.data + chunk.bytes;
    }
    return start ? start : memory_->scratch.data();
}

void Execution::gather(const Task& task, std::byte* target) const {
    for (int p = task.first_chunk; p < task.end_chunk; ++p) {
        const Span source = from(task, p);
        copy_bytes(target, source.data, source.bytes);
        target += source.bytes;
    }
}

void Execution::receive(int index) {
    const Task& task = program_.tasks[at(index)];
    const Bytes bytes = length(task);
    std::byte* target = task.kind == Kind::reduce ? nullptr : stretch(task, false);
    if (!target) {
        target = state(index).staging.reserve(bytes);
        state(index).staged = true;
    }
    if (task.kind == Kind::mcast_recv)
        transport_.mcast_recv(index, target, bytes, task.peer, task.tag);
    else
        transport_.recv(index, target, bytes, task.peer, first_tag_ + task.tag);
}

// What a task sends, in one stretch.
const std::byte* Execution::source_of(const Task& task, State& mine) const {
    if (const std::byte* source = stretch(task, true)) return source;
    std::byte* packed = mine.staging.reserve(length(task));
    gather(task, packed);
    return packed;
}

// True when the task is done already.
bool Execution::begin(int index) {
    const Task& task = program_.tasks[at(index)];
    State& mine = state(index);
    switch (task.kind) {
        case Kind::recv:
            receive(index);
            return false;
        case Kind::reduce:
            combine_staged(task, mine);
            return true;
        case Kind::copy:
            for (int p = task.first_chunk; p < task.end_chunk; ++p) {
                const Span source = from(task, p);
                copy_bytes(to(task, p).data, source.data, source.bytes);
            }
            return true;
        case Kind::combine:
            if (task.earlier) {
                combine_in_place(task);
                return true;
            }
            // The operator needs the room of what it reads.
            gather(task, mine.staging.reserve(length(task)));
            combine_staged(task, mine);
            return true;
        case Kind::send: {
            transport_.send(index, source_of(task, mine), length(task), task.peer,
                            first_tag_ + task.tag);
            return false;
        }
        case Kind::mcast: {
            const Bytes bytes = length(task);
            transport_.mcast(index, source_of(task, mine), bytes, program_.receivers_of(task),
                             task.tag);
            return false;
        }
        case Kind::mcast_recv:
            receive(index);
            return false;
        case Kind::native: {
            // Nothing else is under way, so blocking keeps nobody waiting.
            const auto* source = task.from >= 0 ? stretch(task, true) : nullptr;
            auto* target = task.to >= 0 ? stretch(task, false) : nullptr;
            ECO_CHECK((task.from < 0 || source) && (task.to < 0 || target));
            transport_.native_part(task.part, source, target, length(task), task.peer);
            return true;
        }
    }
    ECO_CHECK(false);
    return false;
}

// A message has been sent or received; true when its task is done with that.
bool Execution::has_moved(int index) {
    const Task& task = program_.tasks[at(index)];
    State& mine = state(index);
    if (task.kind == Kind::reduce) {
        if (--mine.waits_for == 0) memory_->ready.push_back(index);
        return false;
    }
    if ((task.kind == Kind::recv || task.kind == Kind::mcast_recv) && mine.staged) {
        const std::byte* source = mine.staging.data();
        for (int p = task.first_chunk; p < task.end_chunk; ++p) {
            const Span target = to(task, p);
            copy_bytes(target.data, source, target.bytes);
            source += target.bytes;
        }
    }
    release(mine);
    return true;
}

void Execution::combine_in_place(const Task& task) {
    for (int p = task.first_chunk; p < task.end_chunk; ++p) {
        const Span source = from(task, p), target = to(task, p);
        if (target.bytes > 0) combine_(target.data, source.data, target.bytes, true);
    }
}

void Execution::combine_staged(const Task& task, State& mine) {
    std::byte* source = mine.staging.data();
    for (int p = task.first_chunk; p < task.end_chunk; ++p) {
        const Span target = to(task, p);
        if (target.bytes > 0) combine_(target.data, source, target.bytes, task.earlier);
        source += target.bytes;
    }
    release(mine);
}

// Long ones make room for the tasks to come.
void Execution::release(State& mine) {
    if (mine.staging.size() > ExecutionMemory::longest_kept) mine.staging.free();
}

void Execution::end(int index) {
    --left_;
    const auto let_go = [this](int follower) {
        if (--state(follower).waits_for == 0) memory_->ready.push_back(follower);
    };
    for (const auto follower : prepared_.followers_.of(index)) let_go(follower);
    for (const auto follower : prepared_.paced_.of(index))
        if (state(follower).paced) let_go(follower);
}

void execute(const Prepared& prepared, const Layout& layout, const Combine& combine,
             Transport& transport, int first_tag) {
    Execution execution(prepared, layout, combine, transport, first_tag);
    execution.start();
    execution.finish();
}

}  // namespace eco
