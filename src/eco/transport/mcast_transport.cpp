// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_transport.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "eco/base/check.h"

namespace eco {

namespace {

// The MPI library moves only when it is called.
constexpr Seconds longest_sleep = 5e-4;

// So many consecutive datagrams did not arrive: none will.
constexpr std::int64_t hopeless = 32;

// Some are lost by chance, whatever the pace. So many of those that were sent last: it is too fast.
constexpr double too_many_lost = 0.1, remembered = 256;

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
      call_{context.number, context.calls},
      sender_(channel, call_, me, context.probation_calls > 0,
              [this](Rank rank) -> std::optional<std::int64_t> {
                  std::optional<std::int64_t> behind;
                  for (const McastTransport* each : context_.left)
                      if (each->call_ < call_)
                          if (const auto there = each->sender_.behind(rank))
                              behind = behind.value_or(0) + *there;
                  return behind;
              }),
      receiver_(channel, me, context.probation_calls > 0) {
    const McastTurn turn(context_);
    const auto from = [number = call_.number](const std::map<Rank, std::uint32_t>& calls) {
        std::set<Rank> ranks;
        for (const auto& [rank, call] : calls)
            if (call <= number) ranks.insert(rank);
        return ranks;
    };
    unreached_ = from(context.unreached);
    unreachable_senders_ = from(context.unreachable_senders);
    if (!unreached_.empty()) sender_.set_has_unreachable();
    ++context.calls;
    if (context.probation_calls > 0) --context.probation_calls;
    was_forgotten_ = channel_.attach(call_, *this);
    context_.messages->begin(call_.number, *this);
}

McastTransport::~McastTransport() {
    const McastTurn turn(context_);
    std::erase(context_.left, this);
    channel_.keep(-kept_bytes_);
    if (!parts_.empty()) sender_.lose_kept();
    channel_.detach(call_);
    context_.messages->end(call_.number);
    // Messages are under way into these.
    for (auto& [id, part] : parts_)
        static_cast<void>(new std::vector<std::byte>(std::move(part.unused)));
}

void McastTransport::send(int id, const void* data, Bytes bytes, Rank to, int tag) {
    const McastTurn turn(context_);
    other_.send(id, data, bytes, to, tag);
    ++open_;
}

void McastTransport::recv(int id, void* data, Bytes bytes, Rank from, int tag) {
    const McastTurn turn(context_);
    other_.recv(id, data, bytes, from, tag);
    ++open_;
}

void McastTransport::mcast(int id, const void* data, Bytes bytes, std::span<const Rank> to,
                           int tag) {
    const McastTurn turn(context_);
    ++open_;
    std::vector<Rank> reached;
    if (!unreached_.empty()) has_unreachable_ = true;
    for (const Rank rank : to) {
        if (!unreached_.contains(rank)) {
            reached.push_back(rank);
        } else {
            ++parts_left_[id];
            held_.push_back({id, data, bytes, rank, copy_tag(tag)});
        }
    }
    post_held();
    if (reached.empty()) return;
    ++parts_left_[id];
    sender_.add(id, static_cast<std::uint32_t>(tag), data, bytes, reached, rate_(me_, reached));
    for (const Rank rank : reached) context_.messages->expect(rank);
}

void McastTransport::mcast_recv(int id, void* data, Bytes bytes, Rank from, int tag) {
    const McastTurn turn(context_);
    ++open_;
    if (unreachable_senders_.contains(from)) {
        has_unreachable_ = true;
        other_.recv(id, data, bytes, from, copy_tag(tag));
        return;
    }
    lengths_[{from, static_cast<std::uint32_t>(tag)}] = bytes;
    receiver_.add(id, from, static_cast<std::uint32_t>(tag), data, bytes,
                  rate_(from, std::span(&me_, 1)));
}

void McastTransport::send_part(int task, const void* data, Bytes bytes, Rank to, int tag) {
    ++parts_left_[task];
    post_part(task, data, bytes, to, tag);
}

void McastTransport::post_part(int task, const void* data, Bytes bytes, Rank to, int tag) {
    const int id = next_part_--;
    parts_[id].task = task;
    other_.send(id, data, bytes, to, tag);
}

// Of starts of the same persistent call, which all have its tags: what a rank has not got may still
// have to go to it by a message.
bool McastTransport::is_owed_earlier_ones(Rank rank) const {
    return std::any_of(context_.left.begin(), context_.left.end(), [&](const McastTransport* each) {
        return each->first_tag_ == first_tag_ && each->call_ < call_ &&
               each->sender_.behind(rank).has_value();
    });
}

bool McastTransport::post_held() {
    return std::erase_if(held_, [this](const Held& held) {
               if (is_owed_earlier_ones(held.to)) return false;
               post_part(held.task, held.data, held.bytes, held.to, held.tag);
               return true;
           }) > 0;
}

// With the channel locked, and perhaps in another thread.
void McastTransport::take(const McastHeader& header, std::span<const std::byte> data) {
    if (header.kind != McastKind::status) {
        if (header.has_unreachable != 0) has_unreachable_ = true;
        return receiver_.take(header, data);
    }
    const auto status = parse_status_datagram(data);
    if (!status) return;
    const std::lock_guard lock(mutex_);
    statuses_.emplace_back(static_cast<Rank>(header.sender), *status);
}

// All that have come, so that what several ask for is sent to all at once.
void McastTransport::hear_statuses() {
    std::vector<std::pair<Rank, McastStatus>> statuses;
    {
        const std::lock_guard lock(mutex_);
        statuses.swap(statuses_);
    }
    for (const auto& [from, status] : statuses) sender_.take_status(from, status);
}

void McastTransport::status(Rank from, const McastStatus& status) {
    McastAnswer answer;
    answer.call = call_.number;
    answer.has_unreachable = !unreached_.empty();
    if (!sender_.take(from, status, answer)) return;
    const auto found = sender_.peers().find(from);
    if (found != sender_.peers().end() && found->second.by_multicast > 0) {
        context_.consecutive_losses.erase(from);
        return context_.messages->answer(from, answer, status.by_multicast == 0);
    }
    std::int64_t& lost = context_.consecutive_losses[from];
    if (!status.was_forgotten) lost += static_cast<std::int64_t>(answer.pieces.size());
    if (lost >= hopeless) {
        // Which call comes next is known to this rank alone: it may have left this one.
        const auto [place, is_new] = context_.unreached.try_emplace(from, context_.calls);
        answer.gives_up_from = place->second;
        if (is_new) {
            static const bool said = [&] {
                std::fprintf(stderr,
                             "eco: multicasts of rank %d do not reach rank %d; between such ranks "
                             "MPI messages are used\n",
                             me_, from);
                return true;
            }();
            static_cast<void>(said);
        }
        // Piece by piece a long message would take forever.
        answer.pieces.clear();
        for (const McastRange& range : status.missing) {
            if (answer.rest.size() == most_rest) break;
            const auto data = sender_.take_apart(range.message, from, range.first);
            if (!data) continue;
            answer.rest.push_back({range.message, range.first});
            send_part(sender_.task_of(range.message), data->data(),
                      static_cast<Bytes>(data->size()), from,
                      copy_tag(static_cast<int>(range.message)));
        }
    }
    context_.messages->answer(from, answer, true);
}

void McastTransport::answer(Rank from, const McastAnswer& answer) {
    if (answer.gives_up_from != McastAnswer::never)
        context_.unreachable_senders.try_emplace(from, answer.gives_up_from);
    if (answer.has_unreachable) has_unreachable_ = true;
    for (const McastAnswer::Rest& rest : answer.rest) receive_rest(from, rest);
    receiver_.take(from, answer);
}

void McastTransport::receive_rest(Rank from, const McastAnswer::Rest& rest) {
    const int id = next_part_--;
    Part& part = parts_[id];
    part.from = from;
    part.message = rest.message;
    auto place = receiver_.take_apart(from, rest.message, rest.first);
    if (!place) {
        const Bytes bytes = lengths_.at({from, rest.message}) - rest.first * channel_.payload();
        part.unused.resize(static_cast<std::size_t>(std::max<Bytes>(bytes, 0)));
        place = part.unused;
    }
    other_.recv(id, place->data(), static_cast<Bytes>(place->size()), from,
                copy_tag(static_cast<int>(rest.message)));
}

void McastTransport::end_part(int task, std::vector<int>& ended) {
    const auto parts = parts_left_.find(task);
    if (parts != parts_left_.end() && --parts->second > 0) return;
    parts_left_.erase(task);
    if (tasks_left_.erase(task) > 0) return;
    --open_;
    ended.push_back(task);
}

// One of the other transport.
void McastTransport::end_message(int id, std::vector<int>& ended) {
    if (id >= 0) {
        --open_;
        ended.push_back(id);
        return;
    }
    const auto found = parts_.find(id);
    const Part part = std::move(found->second);
    parts_.erase(found);
    if (part.task >= 0)
        end_part(part.task, ended);
    else
        receiver_.apart_came(part.from, part.message);
}

void McastTransport::tell() {
    for (McastReceiver::Due& due : receiver_.due()) {
        if (due.message) {
            due.message->call = call_.number;
            due.message->was_forgotten = was_forgotten_;
            context_.messages->tell(due.to, *due.message);
        }
        const McastAddress to = channel_.address_of(call_.context, due.to);
        if (!due.datagram || to == all_of_the_job) continue;
        cut_to(*due.datagram, channel_.payload());
        const auto text = written(*due.datagram);
        Datagram datagram{};
        datagram.header.context = call_.context;
        datagram.header.call = call_.number;
        datagram.header.sender = static_cast<std::uint32_t>(me_);
        datagram.header.kind = McastKind::status;
        datagram.data = text.data();
        datagram.bytes = static_cast<Bytes>(text.size());
        channel_.send_now(datagram, to);
    }
}

// Of this call alone, of what has come.
bool McastTransport::steps(std::vector<int>& ended) {
    const auto before = ended.size();
    hear_statuses();
    tell();
    for (const int task : receiver_.ended()) {
        --open_;
        ended.push_back(task);
    }
    for (const int task : sender_.ended()) end_part(task, ended);
    return sender_.send(wait_) || ended.size() > before;
}

bool McastTransport::moves(std::vector<int>& ended) {
    const auto before = ended.size();
    bool moved = channel_.receive();
    ended_elsewhere_.clear();
    other_.poll(ended_elsewhere_);
    for (const int id : ended_elsewhere_) end_message(id, ended);
    moved = context_.messages->move() || moved || !ended_elsewhere_.empty();
    for (McastTransport* each : context_.left)
        if (each != this) each->move_left();
    moved = post_held() || moved;
    return steps(ended) || moved || ended.size() > before;
}

// Nothing moves without somebody else, or before it is time.
void McastTransport::rest() {
    {
        const McastTurn turn(context_);
        if (sender_.send(wait_)) return;
        for (const McastTransport* each : context_.left) wait_ = std::min(wait_, each->wait_);
    }
    if (!sender_.has_unsent() && receiver_.is_complete()) {
        sched_yield();  // for what the other transport brings
        return;
    }
    channel_.sleep(std::min({wait_, longest_sleep, receiver_.until_due()}));
}

bool McastTransport::is_quiet() const {
    return parts_.empty() && context_.messages->has_left() && !receiver_.owes();
}

void McastTransport::close() {
    if (std::exchange(closed_, true)) return;
    if (sender_.has_lost() || receiver_.has_lost())
        context_.probation_calls = McastContext::probation;
    bool too_fast = false;
    for (const auto& [rank, peer] : sender_.peers()) {
        if (peer.by_multicast > 0) context_.consecutive_losses.erase(rank);
        if (peer.addressed == 0) continue;
        const auto sent = static_cast<double>(peer.addressed);
        double& lost = context_.lost[rank];
        lost += std::min(1.0, sent / remembered) * (static_cast<double>(peer.lost) / sent - lost);
        if (lost < too_many_lost) continue;
        too_fast = true;
        lost = too_many_lost / 2;
    }
    if (too_fast)
        channel_.note_losses();
    else
        channel_.note_clean_call();
}

// What has ended is told at once, but for the last: after that this rank may be away for long, and
// all that it owes its peers must have left. Whether anything moved.
bool McastTransport::tries(std::vector<int>& ended) {
    const bool moved = moves(untold_);
    if (untold_.empty() && !moved) leave(untold_);
    if (untold_.empty()) return moved;
    const bool last = open_ == 0;
    if (last && !has_unacknowledged()) {
        if (!is_quiet()) return moved;
        close();
    }
    ended.insert(ended.end(), untold_.begin(), untold_.end());
    untold_.clear();
    return true;
}

void McastTransport::poll(std::vector<int>& ended) {
    const McastTurn turn(context_);
    tries(ended);
}

void McastTransport::wait(std::vector<int>& ended) {
    const auto before = ended.size();
    while (true) {
        bool moved = false;
        {
            const McastTurn turn(context_);
            moved = tries(ended);
        }
        if (ended.size() > before) return;
        if (!moved) rest();
    }
}

}  // namespace eco
