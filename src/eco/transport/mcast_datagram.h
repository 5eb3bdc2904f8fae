// SPDX-License-Identifier: BSD-3-Clause
// The header of a datagram of a job's multicasts; the message's bytes follow. All hosts of a job
// have the same byte order. A datagram with another header, or another job's key, is dropped.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "eco/base/units.h"
#include "eco/transport/mcast_address.h"

namespace eco {

// again: data that left before, sent for those that asked; it may overtake what left before it.
// reminder: the last data of a message, to show what is missing before it; it takes the same way.
// status: what a receiver tells a sender (mcast_control.h).
enum class McastKind : std::uint16_t { data, again, status, reminder };

struct McastHeader {
    McastKey key{};
    std::uint64_t context = 0;    // of the communicator
    std::uint32_t call = 0;       // of its calls that multicast
    std::uint32_t sender = 0;     // rank in the communicator
    std::uint32_t message = 0;    // of the sender's in this call
    std::uint32_t index = 0;      // of the message's datagrams
    std::uint32_t interface = 0;  // that it left by; where reach is measured
    std::uint8_t version = 4;
    std::uint8_t has_unreachable = 0;  // as McastTransport's, of the sender's messages
    McastKind kind = McastKind::data;
};
static_assert(sizeof(McastHeader) == 48);
inline constexpr McastHeader no_header{{}, 0, 0, 0, 0, 0, 0, 0, 0, McastKind::data};

// Which call of which communicator.
struct McastCall {
    std::uint64_t context = 0;
    std::uint32_t number = 0;
    auto operator<=>(const McastCall&) const = default;
};

struct Datagram {
    McastHeader header;
    const std::byte* data;
    Bytes bytes;
};

// What carries datagrams to all of the job or to one process, or loses them: sockets, or a test's.
class Datagrams {
public:
    virtual ~Datagrams() = default;

    // As many as it takes now; how many. What cannot leave at all (no route, a firewall, a NIC that
    // is down) counts as sent and is lost.
    virtual std::size_t send(std::span<const Datagram> datagrams, const McastAddress& to) = 0;

    // Hands over what has arrived, at most so many, this process's own too; whether there was any.
    // What is cut or too short for a header comes with one that is all zero.
    using Take =
        std::function<void(const McastHeader&, std::span<const std::byte>, const McastAddress&)>;
    virtual bool receive(std::size_t most, const Take& take) = 0;

    // Until something has arrived, at most so long.
    virtual void sleep(Seconds longest) = 0;

    // Says again that this host listens, to switches that may have forgotten it.
    virtual void say_again() {}

    // Of IP that they are sent by.
    virtual IpFamily family() const { return IpFamily::ipv4; }
};

}  // namespace eco
