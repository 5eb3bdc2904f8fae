#include "eco/run/executor.h"

#include <cstring>
#include <deque>
#include <map>

#include "eco/base/check.h"

namespace eco {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

using Storage = std::unique_ptr<std::byte[]>;

Storage allocate(Bytes bytes) {
    return Storage(new std::byte[static_cast<std::size_t>(bytes > 0 ? bytes : 1)]);
}

void copy_bytes(std::byte* to, const std::byte* from, Bytes bytes) {
    if (bytes > 0 && to != from) std::memmove(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

Prepared::Prepared(Program program)
    : program_(std::move(program)),
      followers_(program_.tasks.size()),
      paced_(program_.tasks.size()),
      from_slot_(program_.pieces.size(), -1),
      to_slot_(program_.pieces.size(), -1) {
    std::map<std::pair<Place, Piece>, std::int32_t> slots;
    for (const Task& task : program_.tasks)
        for (const Place place : {task.from, task.to})
            for (int p = task.first_piece; place >= scratch(0) && p < task.end_piece; ++p)
                slots.emplace(std::pair{place, program_.pieces[at(p)]}, 0);
    // Numbered in order, so that neighbouring pieces are neighbours in memory.
    for (auto& [key, slot] : slots) {
        slot = static_cast<std::int32_t>(scratch_pieces_.size());
        scratch_pieces_.push_back(key.second);
    }
    for (std::size_t t = 0; t < program_.tasks.size(); ++t) {
        const Task& task = program_.tasks[t];
        for (int p = task.first_piece; p < task.end_piece; ++p) {
            if (task.from >= scratch(0))
                from_slot_[at(p)] = slots.at({task.from, program_.pieces[at(p)]});
            if (task.to >= scratch(0))
                to_slot_[at(p)] = slots.at({task.to, program_.pieces[at(p)]});
        }
        for (const auto wait : program_.waits_of(task))
            followers_[at(wait)].push_back(static_cast<std::int32_t>(t));
        if (task.pace >= 0) paced_[at(task.pace)].push_back(static_cast<std::int32_t>(t));
    }
}

class Execution {
public:
    Execution(const Prepared& prepared, const Layout& layout, const Combine& combine,
              Transport& transport)
        : prepared_(prepared),
          program_(prepared.program_),
          layout_(layout),
          combine_(combine),
          transport_(transport),
          states_(program_.tasks.size()) {
        Bytes total = 0;
        for (const Piece piece : prepared.scratch_pieces_) {
            slot_offset_.push_back(total);
            total += layout.bytes(piece, program_.segments);
        }
        scratch_ = allocate(total);
    }

    void run() {
        for (std::size_t t = 0; t < program_.tasks.size(); ++t) {
            const Task& task = program_.tasks[t];
            states_[t].waits_for = task.end_wait - task.first_wait;
            if (task.pace >= 0 && is_paced(task, length(task))) {
                states_[t].paced = true;
                states_[t].waits_for += 1;
            }
            // What arrives for a reduction has memory of its own, so it is received at once, and
            // the combining waits for the arrival too.
            if (task.kind == Kind::reduce) {
                states_[t].waits_for += 1;
                receive(static_cast<int>(t));
            }
            if (states_[t].waits_for == 0) ready_.push_back(static_cast<int>(t));
        }
        std::size_t left = program_.tasks.size();
        std::vector<int> ended;
        while (true) {
            while (!ready_.empty()) {
                const int task = ready_.front();
                ready_.pop_front();
                if (start(task)) {
                    finish(task);
                    --left;
                }
            }
            if (left == 0) return;
            const bool may_leave = left == transport_.lingering();
            ended.clear();
            may_leave ? transport_.poll(ended) : transport_.wait(ended);
            for (const int task : ended)
                if (has_moved(task)) {
                    finish(task);
                    --left;
                }
            if (may_leave && ended.empty()) return;
        }
    }

private:
    struct State {
        int waits_for = 0;
        bool paced = false;
        Storage staging;  // for a message that is not in one stretch, or is to be combined
    };

    Span span(Place place, int slot, int position) const {
        const Piece piece = program_.pieces[at(position)];
        if (layout_.one_board && place != input) place = output;
        if (place < scratch(0)) return layout_.at(place, piece, program_.segments);
        return {scratch_.get() + slot_offset_[at(slot)], layout_.bytes(piece, program_.segments)};
    }
    Span from(const Task& task, int position) const {
        return span(task.from, prepared_.from_slot_[at(position)], position);
    }
    Span to(const Task& task, int position) const {
        return span(task.to, prepared_.to_slot_[at(position)], position);
    }

    Bytes length(const Task& task) const {
        Bytes bytes = 0;
        for (const Piece piece : program_.pieces_of(task))
            bytes += layout_.bytes(piece, program_.segments);
        return bytes;
    }

    // The one stretch of memory that holds all pieces of a message, if they lie so.
    std::byte* stretch(const Task& task, bool sending) const {
        std::byte *start = nullptr, *end = nullptr;
        for (int p = task.first_piece; p < task.end_piece; ++p) {
            const Span piece = sending ? from(task, p) : to(task, p);
            if (piece.bytes == 0) continue;
            if (start && piece.data != end) return nullptr;
            if (!start) start = piece.data;
            end = piece.data + piece.bytes;
        }
        return start ? start : scratch_.get();
    }

    void receive(int index) {
        const Task& task = program_.tasks[at(index)];
        const Bytes bytes = length(task);
        std::byte* target = task.kind == Kind::reduce ? nullptr : stretch(task, false);
        if (!target) {
            states_[at(index)].staging = allocate(bytes);
            target = states_[at(index)].staging.get();
        }
        transport_.recv(index, target, bytes, task.peer, task.tag);
    }

    // True when the task is done already.
    bool start(int index) {
        const Task& task = program_.tasks[at(index)];
        State& state = states_[at(index)];
        switch (task.kind) {
            case Kind::recv:
                receive(index);
                return false;
            case Kind::reduce:
                combine_staged(task, state);
                return true;
            case Kind::copy:
                for (int p = task.first_piece; p < task.end_piece; ++p) {
                    const Span source = from(task, p);
                    copy_bytes(to(task, p).data, source.data, source.bytes);
                }
                return true;
            case Kind::combine: {
                // The operator may need the room of what it reads.
                const Bytes bytes = length(task);
                state.staging = allocate(bytes);
                gather(task, state.staging.get());
                combine_staged(task, state);
                return true;
            }
            case Kind::send: {
                const Bytes bytes = length(task);
                const std::byte* source = stretch(task, true);
                if (!source) {
                    state.staging = allocate(bytes);
                    gather(task, state.staging.get());
                    source = state.staging.get();
                }
                transport_.send(index, source, bytes, task.peer, task.tag);
                return false;
            }
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
    bool has_moved(int index) {
        const Task& task = program_.tasks[at(index)];
        State& state = states_[at(index)];
        if (task.kind == Kind::reduce) {
            if (--state.waits_for == 0) ready_.push_back(index);
            return false;
        }
        if (task.kind == Kind::recv && state.staging) {
            const std::byte* source = state.staging.get();
            for (int p = task.first_piece; p < task.end_piece; ++p) {
                const Span target = to(task, p);
                copy_bytes(target.data, source, target.bytes);
                source += target.bytes;
            }
        }
        state.staging.reset();
        return true;
    }

    void gather(const Task& task, std::byte* target) const {
        for (int p = task.first_piece; p < task.end_piece; ++p) {
            const Span source = from(task, p);
            copy_bytes(target, source.data, source.bytes);
            target += source.bytes;
        }
    }

    void combine_staged(const Task& task, State& state) {
        std::byte* source = state.staging.get();
        for (int p = task.first_piece; p < task.end_piece; ++p) {
            const Span target = to(task, p);
            if (target.bytes > 0) combine_(target.data, source, target.bytes, task.earlier);
            source += target.bytes;
        }
        state.staging.reset();
    }

    void finish(int index) {
        const auto release = [this](int follower) {
            if (--states_[at(follower)].waits_for == 0) ready_.push_back(follower);
        };
        for (const auto follower : prepared_.followers_[at(index)]) release(follower);
        for (const auto follower : prepared_.paced_[at(index)])
            if (states_[at(follower)].paced) release(follower);
    }

    const Prepared& prepared_;
    const Program& program_;
    const Layout& layout_;
    const Combine& combine_;
    Transport& transport_;
    std::vector<State> states_;
    std::vector<Bytes> slot_offset_;
    Storage scratch_;
    std::deque<int> ready_;
};

void execute(const Prepared& prepared, const Layout& layout, const Combine& combine,
             Transport& transport) {
    auto execution = std::make_unique<Execution>(prepared, layout, combine, transport);
    try {
        execution->run();
    } catch (...) {
        // Messages may still be under way into its memory, so that is never freed.
        [[maybe_unused]] const auto* kept = execution.release();
        throw;
    }
}

}  // namespace eco
