// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/rail_messages.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/transport/rail_peer.h"
#include "eco/transport/stripes.h"

namespace eco {

namespace {

constexpr std::chrono::milliseconds still(500);  // then the rails are looked at
constexpr double alike = 0.9;                    // of the fastest rate: measured no better
constexpr Bytes credit_bytes = 64;               // written for the sake of its notification

int puts_of(Bytes bytes) { return static_cast<int>((bytes + longest_put - 1) / longest_put); }

}  // namespace

RailMessages::RailMessages(std::unique_ptr<Rails> rails, Rank me, int ranks, Bytes longest_short)
    : rails_(std::move(rails)),
      me_(me),
      ranks_(ranks),
      longest_short_(longest_short),
      waker_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {
    ECO_CHECK(ranks <= 1 << who_bits);
    const auto stripes = Bytes{most_ways} * static_cast<Bytes>(sizeof(RailStripe));
    slot_bytes_ = static_cast<Bytes>(sizeof(RailHeader)) + std::max(longest_short, stripes);
    peer_bytes_ = slots * slot_bytes_ + credit_bytes;
    // Not touched before it is used, so that peers that never send cost no memory.
    inbox_.reset(new std::byte[at(peer_bytes_ * ranks)]);
    outbox_.reset(new std::byte[at(peer_bytes_ * ranks)]);
    inbox_memory_ = rails_->add(inbox_.get(), peer_bytes_ * ranks);
    outbox_memory_ = rails_->add(outbox_.get(), peer_bytes_ * ranks);
    for (Rank peer = 0; peer < ranks; ++peer) peers_.push_back(std::make_unique<RailPeer>());
}

RailMessages::~RailMessages() {
    if (waker_ >= 0) close(waker_);
}

std::string RailMessages::own_address() const {
    const std::string rails = rails_->own_address();
    nlohmann::json inbox = nlohmann::json::array();
    for (int rail = 0; rail < rails_->count(); ++rail) {
        const Target target = inbox_memory_->target(rail);
        inbox.push_back({target.address, target.key});
    }
    const nlohmann::json all{{"rails", nlohmann::json::binary({rails.begin(), rails.end()})},
                             {"inbox", inbox}};
    const auto packed = nlohmann::json::to_cbor(all);
    return {packed.begin(), packed.end()};
}

void RailMessages::connect(const std::vector<std::string>& addresses) {
    std::vector<std::string> of_rails;
    std::vector<nlohmann::json> inboxes;
    for (const auto& text : addresses) {
        if (text.empty()) {
            of_rails.emplace_back();
            inboxes.emplace_back();
            continue;
        }
        const auto all = nlohmann::json::from_cbor(text);
        const auto& rails = all.at("rails").get_binary();
        of_rails.emplace_back(rails.begin(), rails.end());
        inboxes.push_back(all.at("inbox"));
    }
    rails_->connect(of_rails);
    for (Rank peer = 0; peer < ranks_; ++peer)
        for (const RailPath& way : rails_->ways(peer)) {
            const auto& target = inboxes[at(peer)].at(at(way.theirs));
            const Bytes offset = me_ * peer_bytes_;
            peers_[at(peer)]->inbox.push_back(
                {target.at(0).get<std::uint64_t>() + static_cast<std::uint64_t>(offset),
                 target.at(1).get<std::uint64_t>()});
        }
}

int RailMessages::ways(Rank peer, int most) const {
    const auto count = static_cast<int>(rails_->ways(peer).size());
    return std::min({most, count, most_ways});
}

bool RailMessages::connectivity_check(double seconds, std::string& missing) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    RailBox none;
    std::vector<int> ended;
    {
        const std::lock_guard lock(mutex_);
        for (Rank step = 1; step < ranks_; ++step) {
            const Rank peer = (me_ + step) % ranks_;
            for (int way = 0; way < ways(peer, most_ways); ++way) {
                const auto offset = static_cast<std::uint64_t>(slots * slot_bytes_);
                const Target inbox = peers_[at(peer)]->inbox[at(way)];
                ++own_puts_;
                rails_->put_notify(peer, way, outbox_.get() + peer * peer_bytes_,
                                   outbox_memory_.get(), {inbox.address + offset, inbox.key}, 8,
                                   note(Note::connectivity_check, way, me_), nullptr);
            }
        }
    }
    while (true) {
        const bool moved = progress(none, ended);
        if (all_heard(missing)) return true;
        if (Clock::now() > end) return false;
        if (!moved) sleep_until_event(none, 2000);
    }
}

bool RailMessages::all_heard(std::string& missing) {
    const std::lock_guard lock(mutex_);
    missing.clear();
    for (Rank peer = 0; peer < ranks_; ++peer)
        if (peers_[at(peer)]->connectivity_checks < ways(peer, most_ways))
            missing += (missing.empty() ? "" : ", ") + std::to_string(peer);
    return missing.empty() && own_puts_ == 0;
}

void RailMessages::send(RailBox& box, int id, const void* data, Bytes bytes, Rank to,
                        std::uint64_t context, int tag, int most) {
    const std::lock_guard lock(mutex_);
    ++box.open;
    auto send = std::make_unique<RailSend>();
    *send = {&box, id, static_cast<const std::byte*>(data), bytes, to, most, nullptr};
    RailPeer& peer = *peers_[at(to)];
    const RailKey key{context, tag};
    if (bytes <= longest_short_) {
        send->puts_left = 1;
        tell(to, {{context, bytes, tag, -1, 0, 0}, ways(to, most), {}, send.release()});
        return;
    }
    const auto clear_to_sends = peer.clear_to_sends.find(key);
    if (clear_to_sends == peer.clear_to_sends.end()) {
        peer.sends[key].push_back(std::move(send));
        return;
    }
    const RailEarly early = std::move(clear_to_sends->second.front());
    clear_to_sends->second.pop_front();
    if (clear_to_sends->second.empty()) peer.clear_to_sends.erase(clear_to_sends);
    write_stripes(std::move(send), early.room, early.clear_to_send, early.stripes);
}

void RailMessages::recv(RailBox& box, int id, void* data, Bytes bytes, Rank from,
                        std::uint64_t context, int tag, int most) {
    const std::lock_guard lock(mutex_);
    ++box.open;
    auto receive = std::make_unique<RailReceive>();
    const RailKey key{context, tag};
    *receive = {&box, id, static_cast<std::byte*>(data), bytes, from, key, most, nullptr};
    RailPeer& peer = *peers_[at(from)];
    if (bytes > longest_short_) {
        clear_to_send(std::move(receive));
        return;
    }
    const auto early = peer.messages.find(key);
    if (early == peer.messages.end()) {
        peer.receives[key].push_back(std::move(receive));
        return;
    }
    const auto& message = early->second.front().message;
    take_short(*receive, message.data(), static_cast<Bytes>(message.size()));
    early->second.pop_front();
    if (early->second.empty()) peer.messages.erase(early);
}

void RailMessages::finish(RailBox& box, int id) {
    --box.open;
    box.ended.push_back(id);
}

// Says to the sender of a long message where its stripes go.
void RailMessages::clear_to_send(std::unique_ptr<RailReceive> receive) {
    const Rank from = receive->from;
    RailPeer& peer = *peers_[at(from)];
    if (peer.free_clear_to_sends.empty()) {
        if (peer.cleared.size() == most_clear_to_sends) {
            peer.not_cleared.push_back(std::move(receive));
            return;
        }
        peer.free_clear_to_sends.push_back(static_cast<int>(peer.cleared.size()));
        peer.cleared.emplace_back();
    }
    const int number = peer.free_clear_to_sends.back();
    peer.free_clear_to_sends.pop_back();
    receive->memory = rails_->add(receive->data, receive->bytes);
    const int count = ways(from, receive->most);
    std::vector<double> rates;
    for (int way = 0; way < count; ++way) rates.push_back(rails_->ways(from)[at(way)].rate);
    const double fastest = *std::max_element(rates.begin(), rates.end());
    for (double& rate : rates)
        if (rate > alike * fastest) rate = fastest;
    std::vector<RailStripe> stripes;
    Bytes offset = 0;
    for (const Bytes bytes : cut_stripes(receive->bytes, rates)) {
        Target where = receive->memory->target(rails_->ways(from)[stripes.size()].rail);
        where.address += static_cast<std::uint64_t>(offset);
        stripes.push_back({where, bytes});
        offset += bytes;
        receive->puts_left += puts_of(bytes);
    }
    RailOutgoing outgoing{{receive->key.first, receive->bytes, receive->key.second, number,
                           static_cast<std::int32_t>(stripes.size()), 0},
                          count,
                          std::move(stripes),
                          nullptr};
    peer.cleared[at(number)] = std::move(receive);
    tell(from, std::move(outgoing));
}

void RailMessages::write_stripes(std::unique_ptr<RailSend> send, Bytes room, int number,
                                 const std::vector<RailStripe>& stripes) {
    // The receiver counts its stripes, and the last byte is in one of them.
    if (send->bytes != room)
        throw Error(Code::usage, "this rank sends " + std::to_string(send->bytes) +
                                     " bytes to rank " + std::to_string(send->to) +
                                     ", which receives " + std::to_string(room) +
                                     "; over several NICs both must be the same");
    if (rails_->registers_sources())
        send->memory = rails_->add(const_cast<std::byte*>(send->data), send->bytes);
    for (const RailStripe& stripe : stripes) send->puts_left += puts_of(stripe.bytes);
    Bytes offset = 0;
    RailSend* owner = send.release();  // until its last put has left
    for (std::size_t way = 0; way < stripes.size(); ++way)
        for (Bytes done = 0; done < stripes[way].bytes; done += longest_put) {
            const Bytes bytes = std::min(longest_put, stripes[way].bytes - done);
            const Target where{stripes[way].where.address + static_cast<std::uint64_t>(done),
                               stripes[way].where.key};
            rails_->put_notify(owner->to, static_cast<int>(way), owner->data + offset,
                               owner->memory.get(), where, bytes, note(Note::stripe, number, me_),
                               owner);
            offset += bytes;
        }
}

void RailMessages::handle(const RailEvent& event) {
    if (!event.arrived) {
        if (!event.owner) {
            --own_puts_;
            return;
        }
        auto* send = static_cast<RailSend*>(event.owner);
        if (--send->puts_left > 0) return;
        finish(*send->box, send->id);
        const std::unique_ptr<RailSend> last(send);
        return;
    }
    const auto who = static_cast<Rank>(event.data & ((1U << who_bits) - 1));
    const int which = static_cast<int>(event.data >> who_bits & ((1U << which_bits) - 1));
    ECO_CHECK(who < ranks_);
    RailPeer& peer = *peers_[at(who)];
    switch (static_cast<Note>(event.data >> (who_bits + which_bits))) {
        case Note::slot:
            peer.arrived.set(at(which));
            read_slots(who);
            return;
        case Note::credits:
            peer.credits += which;
            while (peer.credits > 0 && !peer.waiting.empty()) {
                const RailOutgoing outgoing = std::move(peer.waiting.front());
                peer.waiting.pop_front();
                fill_slot(who, outgoing);
            }
            return;
        case Note::stripe: {
            ECO_CHECK(at(which) < peer.cleared.size() && peer.cleared[at(which)]);
            if (--peer.cleared[at(which)]->puts_left > 0) return;
            const auto receive = std::move(peer.cleared[at(which)]);
            peer.free_clear_to_sends.push_back(which);
            finish(*receive->box, receive->id);
            if (peer.not_cleared.empty()) return;
            auto next = std::move(peer.not_cleared.front());
            peer.not_cleared.pop_front();
            clear_to_send(std::move(next));
            return;
        }
        case Note::connectivity_check:
            ++peer.connectivity_checks;
            return;
    }
}

bool RailMessages::progress(RailBox& box, std::vector<int>& ended) {
    const std::lock_guard lock(mutex_);
    if (abandoned_) throw Error(Code::environment, "the rails have failed before");
    events_.clear();
    rails_->progress(events_);
    for (const RailEvent& event : events_) handle(event);
    if (events_.empty()) {
        check_if_still();
    } else {
        moved_ = std::chrono::steady_clock::now();
        // Some may be another thread's. Where there is no waker, that one looks again by itself.
        const auto asleep = static_cast<std::uint64_t>(asleep_);
        if (asleep > 0 && write(waker_, &asleep, sizeof asleep) > 0) asleep_ = 0;
    }
    ended.insert(ended.end(), box.ended.begin(), box.ended.end());
    const bool moved = !events_.empty() || !box.ended.empty();
    box.ended.clear();
    return moved;
}

// TCP would try again for minutes.
void RailMessages::check_if_still() {
    const auto now = std::chrono::steady_clock::now();
    if (now - moved_ <= still) return;
    moved_ = now;
    rails_->check();
}

void RailMessages::sleep_until_event(const RailBox& box, long microseconds) {
    std::vector<pollfd> descriptors;
    {
        const std::lock_guard lock(mutex_);
        if (!box.ended.empty()) return;
        check_if_still();
        if (!rails_->wait_on(descriptors)) {
            sched_yield();
            return;
        }
        ++asleep_;
    }
    descriptors.push_back({waker_, POLLIN, 0});
    const timespec time{microseconds / 1000000, microseconds % 1000000 * 1000};
    ppoll(descriptors.data(), descriptors.size(), &time, nullptr);
    const std::lock_guard lock(mutex_);
    std::uint64_t one = 0;
    if (read(waker_, &one, sizeof one) < 0 && asleep_ > 0) --asleep_;
}

void RailMessages::abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
}

bool RailMessages::is_quiet() {
    const std::lock_guard lock(mutex_);
    return own_puts_ == 0;
}

}  // namespace eco
