#include "eco/plan/program.h"

#include <algorithm>
#include <numeric>

namespace eco {

std::vector<Piece> all_pieces(int count) {
    std::vector<Piece> pieces(static_cast<std::size_t>(count));
    std::iota(pieces.begin(), pieces.end(), 0);
    return pieces;
}

Builder::Uses& Builder::uses(Place place, Piece piece) {
    const auto memory = static_cast<std::uint64_t>(aliases_ && place == output ? input : place);
    return uses_[memory << 32 | static_cast<std::uint32_t>(piece)];
}

void Builder::add(Task task, std::span<const Piece> pieces, bool reads, bool writes) {
    const auto index = static_cast<std::int32_t>(program_.tasks.size());
    std::vector<std::int32_t> waits = std::move(extra_waits_);
    extra_waits_.clear();
    const auto wait_for = [&](std::int32_t other) {
        if (other >= 0 && other != index) waits.push_back(other);
    };
    wait_for(last_native_);
    for (const Piece piece : pieces) {
        if (reads) {
            Uses& source = uses(task.from, piece);
            wait_for(source.writer);
            source.readers.push_back(index);
        }
        if (writes) {
            Uses& target = uses(task.to, piece);
            wait_for(target.writer);
            for (const auto reader : target.readers) wait_for(reader);
            target.readers.clear();
            target.writer = index;
        }
    }
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    task.first_piece = static_cast<std::int32_t>(program_.pieces.size());
    program_.pieces.insert(program_.pieces.end(), pieces.begin(), pieces.end());
    task.end_piece = static_cast<std::int32_t>(program_.pieces.size());
    task.first_wait = static_cast<std::int32_t>(program_.waits.size());
    program_.waits.insert(program_.waits.end(), waits.begin(), waits.end());
    task.end_wait = static_cast<std::int32_t>(program_.waits.size());
    program_.tasks.push_back(task);
}

void Builder::send(Rank to, Place from, std::span<const Piece> pieces) {
    auto& sent = sent_[to];
    if (window_ > 0 && sent.size() >= window_) wait_also_for(sent[sent.size() - window_]);
    if (ports_ > 0 && all_sent_.size() >= ports_)
        wait_also_for(all_sent_[all_sent_.size() - ports_]);
    sent.push_back(static_cast<std::int32_t>(program_.tasks.size()));
    all_sent_.push_back(sent.back());
    const auto tag = static_cast<std::int32_t>(sent.size() - 1);
    Task task{Kind::send, false, from, -1, to, tag, 0, 0, 0, 0};
    task.pace = std::exchange(pace_, -1);
    add(task, pieces, true, false);
}

void Builder::recv(Rank from, Place to, std::span<const Piece> pieces) {
    add({Kind::recv, false, -1, to, from, received_[from]++, 0, 0, 0, 0}, pieces, false, true);
}

void Builder::reduce(Rank from, Place to, std::span<const Piece> pieces, bool earlier) {
    add({Kind::reduce, earlier, -1, to, from, received_[from]++, 0, 0, 0, 0}, pieces, false, true);
}

void Builder::copy(Place from, Place to, std::span<const Piece> pieces) {
    add({Kind::copy, false, from, to, -1, 0, 0, 0, 0, 0}, pieces, true, true);
}

void Builder::combine(Place from, Place to, std::span<const Piece> pieces, bool earlier) {
    add({Kind::combine, earlier, from, to, -1, 0, 0, 0, 0, 0}, pieces, true, true);
}

void Builder::native(Operation part, Rank root, Place from, Place to,
                     std::span<const Piece> pieces) {
    const auto index = static_cast<std::int32_t>(program_.tasks.size());
    for (std::int32_t task = last_native_ + 1; task < index; ++task) wait_also_for(task);
    add({Kind::native, false, from, to, root, 0, 0, 0, 0, 0, part}, pieces, from >= 0, to >= 0);
    last_native_ = index;
}

}  // namespace eco
