// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_transport.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>

#include "eco/base/check.h"

namespace eco {

namespace {

// The MPI library moves only when it is called.
constexpr Seconds longest_sleep = 5e-4;

// So many datagrams in a row did not arrive: none will.
constexpr std::int64_t hopeless = 32;

}  // namespace

McastTransport::McastTransport(McastChannel& channel, McastContext& context, Rank me, Rate rate,
                               Transport& other, int first_tag, int tags)
    : channel_(channel),
      context_(context),
      rate_(std::move(rate)),
      other_(other),
      me_(me),
      first_tag_(first_tag),
      tags_(tags),
      unreached_(context.unreached),
      unheard_(context.unheard),
      call_{context.number, context.calls++},
      sender_(channel, call_, me),
      receiver_(channel, me) {
    channel_.attach(call_, receiver_);
}

McastTransport::~McastTransport() {
    channel_.detach(call_);
    // Messages are under way into and out of these.
    for (auto& [id, control] : controls_)
        static_cast<void>(new std::vector<std::byte>(std::move(control.text)));
}

void McastTransport::send(int id, const void* data, Bytes bytes, Rank to, int tag) {
    other_.send(id, data, bytes, to, tag);
    ++open_;
    ++open_elsewhere_;
}

void McastTransport::recv(int id, void* data, Bytes bytes, Rank from, int tag) {
    other_.recv(id, data, bytes, from, tag);
    ++open_;
    ++open_elsewhere_;
}

void McastTransport::mcast(int id, const void* data, Bytes bytes, std::span<const Rank> to,
                           int tag) {
    ++open_;
    std::vector<Rank> reached;
    for (const Rank rank : to) {
        if (bytes > 0 && !unreached_.contains(rank)) {
            reached.push_back(rank);
            continue;
        }
        const int control = add_control(What::copy_out, rank, {});
        controls_.at(control).task = id;
        ++parts_left_[id];
        other_.send(control, data, bytes, rank, copy_tag(tag));
    }
    if (reached.empty()) return;
    ++parts_left_[id];
    sender_.add(id, static_cast<std::uint32_t>(tag), data, bytes, reached, rate_(me_, reached));
    for (const Rank rank : reached) listen_for_status(rank);
}

void McastTransport::mcast_recv(int id, void* data, Bytes bytes, Rank from, int tag) {
    ++open_;
    if (bytes == 0 || unheard_.contains(from)) {
        ++open_elsewhere_;
        other_.recv(id, data, bytes, from, copy_tag(tag));
        return;
    }
    receiver_.add(id, from, static_cast<std::uint32_t>(tag), data, bytes,
                  rate_(from, std::span(&me_, 1)));
}

int McastTransport::add_control(What what, Rank peer, std::vector<std::byte> text) {
    const int id = next_control_--;
    controls_[id] = {what, peer, -1, std::move(text)};
    ++open_elsewhere_;
    return id;
}

void McastTransport::send_control(What what, Rank peer, std::vector<std::byte> text) {
    const int id = add_control(what, peer, std::move(text));
    const auto& kept = controls_.at(id).text;
    other_.send(id, kept.data(), static_cast<Bytes>(kept.size()), peer,
                what == What::status_out ? status_tag() : answer_tag());
}

// One receive at a time for each rank that has something to say.
void McastTransport::listen_for_status(Rank peer) {
    if (sender_.awaited_from(peer) == 0 || !listening_.insert(peer).second) return;
    const int id = add_control(What::status_in, peer,
                               std::vector<std::byte>(static_cast<std::size_t>(longest_status)));
    auto& text = controls_.at(id).text;
    other_.recv(id, text.data(), longest_status, peer, status_tag());
}

void McastTransport::take_status(Rank from, std::span<const std::byte> text) {
    const McastStatus status = read_status(text);
    McastAnswer answer;
    const bool wants_answer = sender_.take(from, status, answer);
    if (!wants_answer) return;
    if (sender_.arrived(from) == 0) {
        std::int64_t& lost = context_.in_vain[from];
        lost += static_cast<std::int64_t>(answer.pieces.size());
        if (lost >= hopeless && context_.unreached.insert(from).second) {
            answer.gives_up = true;
            static const bool said = [&] {
                std::fprintf(stderr,
                             "eco: multicasts of rank %d do not reach rank %d; messages go one by "
                             "one where that is so\n",
                             me_, from);
                return true;
            }();
            static_cast<void>(said);
        }
    } else {
        context_.in_vain.erase(from);
    }
    send_control(What::answer_out, from, written(answer));
}

void McastTransport::end_part(int task, std::vector<int>& ended) {
    const auto parts = parts_left_.find(task);
    if (parts != parts_left_.end() && --parts->second > 0) return;
    parts_left_.erase(task);
    --open_;
    ended.push_back(task);
}

// False: it is a task's.
bool McastTransport::end_control(int id, std::vector<int>& ended) {
    if (id >= 0) return false;
    const auto found = controls_.find(id);
    const Control control = std::move(found->second);
    controls_.erase(found);
    switch (control.what) {
        case What::status_out:
        case What::answer_out:
            break;
        case What::status_in:
            listening_.erase(control.peer);
            take_status(control.peer, control.text);
            listen_for_status(control.peer);
            break;
        case What::answer_in: {
            const McastAnswer answer = read_answer(control.text);
            if (answer.gives_up) context_.unheard.insert(control.peer);
            receiver_.take(control.peer, answer);
            break;
        }
        case What::copy_out:
            end_part(control.task, ended);
            break;
    }
    return true;
}

void McastTransport::tell() {
    for (const McastReceiver::Due& due : receiver_.due()) {
        if (due.status.asks) {
            const Bytes longest = longest_answer(channel_.payload());
            const int id = add_control(What::answer_in, due.to,
                                       std::vector<std::byte>(static_cast<std::size_t>(longest)));
            other_.recv(id, controls_.at(id).text.data(), longest, due.to, answer_tag());
        }
        send_control(What::status_out, due.to, written(due.status));
    }
}

bool McastTransport::moves(std::vector<int>& ended) {
    const auto before = ended.size();
    bool moved = channel_.receive();
    ended_elsewhere_.clear();
    other_.poll(ended_elsewhere_);
    for (const int id : ended_elsewhere_) {
        --open_elsewhere_;
        moved = true;
        if (!end_control(id, ended)) {
            --open_;
            ended.push_back(id);
        }
    }
    tell();
    for (const int task : receiver_.ended()) {
        --open_;
        ended.push_back(task);
    }
    for (const int task : sender_.ended()) end_part(task, ended);
    Seconds wait = 0;
    if (sender_.send(wait)) moved = true;
    return moved || ended.size() > before;
}

// Nothing moves without somebody else, or before it is time.
void McastTransport::rest() {
    Seconds wait = longest_sleep;
    if (sender_.has_unsent()) {
        Seconds until_pace = 0;
        if (sender_.send(until_pace)) return;
        wait = std::min(wait, until_pace);
    } else if (receiver_.is_complete()) {
        sched_yield();  // for what the other transport brings
        return;
    }
    channel_.sleep(std::min(wait, receiver_.until_due()));
}

// After its last message this rank may be away for long; what it owes its peers must have left.
bool McastTransport::is_quiet() const { return controls_.empty() && !receiver_.owes(); }

void McastTransport::close() {
    if (std::exchange(closed_, true)) return;
    if (sender_.lost_any())
        channel_.note_losses();
    else
        channel_.note_clean_call();
}

void McastTransport::poll(std::vector<int>& ended) { moves(ended); }

void McastTransport::wait(std::vector<int>& ended) {
    const auto before = ended.size();
    while (true) {
        const bool moved = moves(ended);
        const bool last = open_ == 0;
        if (ended.size() > before && (!last || is_quiet())) {
            if (last) close();
            return;
        }
        if (!moved) rest();
    }
}

}  // namespace eco
