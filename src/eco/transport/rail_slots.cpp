// SPDX-License-Identifier: BSD-3-Clause
// The slots: where short messages go, and what says where the stripes of long ones go.
#include <cstring>
#include <string>
#include <utility>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/transport/rail_messages.h"
#include "eco/transport/rail_peer.h"

namespace eco {

void RailMessages::tell(Rank to, RailOutgoing outgoing) {
    RailPeer& peer = *peers_[at(to)];
    if (peer.credits == 0)
        peer.waiting.push_back(std::move(outgoing));
    else
        fill_slot(to, outgoing);
}

void RailMessages::fill_slot(Rank to, const RailOutgoing& outgoing) {
    RailPeer& peer = *peers_[at(to)];
    --peer.credits;
    const int number = static_cast<int>(peer.filled++ % slots);
    std::byte* start = outbox_.get() + to * peer_bytes_ + number * slot_bytes_;
    std::byte* end = start;
    const auto append = [&end](const void* data, std::size_t bytes) {
        if (bytes > 0) std::memcpy(end, data, bytes);
        end += bytes;
    };
    append(&outgoing.header, sizeof outgoing.header);
    if (outgoing.send)
        append(outgoing.send->data, at(outgoing.send->bytes));
    else
        append(outgoing.stripes.data(), outgoing.stripes.size() * sizeof(RailStripe));
    const int way = peer.way.of(outgoing.ways);
    const Target inbox = peer.inbox[at(way)];
    const Target where{inbox.address + static_cast<std::uint64_t>(number * slot_bytes_), inbox.key};
    if (!outgoing.send) ++own_puts_;
    rails_->put_notify(to, way, start, outbox_memory_.get(), where, end - start,
                       note(Note::slot, number, me_), outgoing.send);
}

// In the order in which they were filled; tells the peer now and then that they are free again.
void RailMessages::read_slots(Rank from) {
    RailPeer& peer = *peers_[at(from)];
    while (peer.arrived.test(static_cast<std::size_t>(peer.read % slots))) {
        const int number = static_cast<int>(peer.read++ % slots);
        peer.arrived.reset(at(number));
        read_slot(from, inbox_.get() + from * peer_bytes_ + number * slot_bytes_);
        ++peer.owed;
    }
    if (peer.owed < slots / 2) return;
    const Target inbox = peer.inbox.front();
    const auto offset = static_cast<std::uint64_t>(slots * slot_bytes_);
    ++own_puts_;
    rails_->put_notify(from, 0, outbox_.get() + from * peer_bytes_ + slots * slot_bytes_,
                       outbox_memory_.get(), {inbox.address + offset, inbox.key}, 8,
                       note(Note::credits, std::exchange(peer.owed, 0), me_), nullptr);
}

void RailMessages::read_slot(Rank from, const std::byte* data) {
    RailPeer& peer = *peers_[at(from)];
    RailHeader header;
    std::memcpy(&header, data, sizeof header);
    data += sizeof header;
    const RailKey key{header.context, header.tag};
    if (header.clear_to_send < 0) {
        const auto found = peer.receives.find(key);
        if (found == peer.receives.end()) {
            peer.messages[key].push_back({{data, data + header.bytes}, 0, -1, {}});
            return;
        }
        const auto receive = std::move(found->second.front());
        found->second.pop_front();
        if (found->second.empty()) peer.receives.erase(found);
        take_short(*receive, data, header.bytes);
        return;
    }
    std::vector<RailStripe> stripes(at(header.stripes));
    std::memcpy(stripes.data(), data, stripes.size() * sizeof(RailStripe));
    const auto found = peer.sends.find(key);
    if (found == peer.sends.end()) {
        peer.clear_to_sends[key].push_back(
            {{}, header.bytes, header.clear_to_send, std::move(stripes)});
        return;
    }
    auto send = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) peer.sends.erase(found);
    write_stripes(std::move(send), header.bytes, header.clear_to_send, stripes);
}

void RailMessages::take_short(RailReceive& receive, const std::byte* data, Bytes bytes) {
    if (bytes > receive.bytes)
        throw Error(Code::usage, "rank " + std::to_string(receive.from) + " sends " +
                                     std::to_string(bytes) + " bytes, this rank receives " +
                                     std::to_string(receive.bytes));
    if (bytes > 0) std::memcpy(receive.data, data, at(bytes));
    finish(*receive.box, receive.id);
}

}  // namespace eco
