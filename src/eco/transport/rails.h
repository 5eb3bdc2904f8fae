// SPDX-License-Identifier: BSD-3-Clause
// The rails of one process: parallel networks to its peers, each of which can write into a peer's
// memory and notify it with 32 bits (a put with immediate data). libfabric's are in fabric_rails.h;
// tests have others. Nothing here knows messages, stripes or schedules: those are rail_messages.h
// and above.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eco/base/units.h"

namespace eco {

// Where a peer may write over one rail.
struct Target {
    std::uint64_t address = 0, key = 0;
};

// Memory that the rails may read, and that peers may write into once they know a target in it; for
// as long as this lives.
class Registered {
public:
    virtual ~Registered() = default;
    // The first byte's, for a peer that writes over this rail of ours.
    virtual Target target(int rail) const = 0;
};

// One way to a peer. Both ends count their ways to each other alike.
struct RailPath {
    int rail = 0, theirs = 0;  // our number of the rail, and the peer's
    double rate = 1;           // what it carries, in any unit
};

// What progress() saw.
struct RailEvent {
    bool arrived = false;    // else: what was to be written for `owner` has left
    std::uint32_t data = 0;  // arrived: what the peer said
    void* owner = nullptr;
};

class Rails {
public:
    virtual ~Rails() = default;

    virtual int count() const = 0;

    // What peers must know of this process, and what all of them said, by rank.
    virtual std::string own_address() const = 0;
    virtual void connect(const std::vector<std::string>& addresses) = 0;

    // Empty if no rail leads there. After connect().
    virtual const std::vector<RailPath>& ways(Rank peer) const = 0;

    virtual std::unique_ptr<Registered> add(void* data, Bytes bytes) = 0;
    // Whether put_notify needs `source` registered.
    virtual bool registers_sources() const = 0;

    // Writes into a peer's memory; the peer sees `data` once all bytes are there. Does not block.
    // What is written must stay as it is until progress() has returned `owner`. Notifications over
    // different ways, and of different sizes, may come in another order.
    virtual void put_notify(Rank to, int way, const void* from, const Registered* source,
                            Target where, Bytes bytes, std::uint32_t data, void* owner) = 0;

    // Moves what can be moved; peers' writes land only while somebody calls it. Throws Error where
    // a rail has failed.
    virtual void progress(std::vector<RailEvent>& events) = 0;

    // Throws Error where a rail cannot move anything any more, though nothing has failed yet.
    virtual void check() const = 0;

    // What to poll() for until progress() has something to do; false where it has at once.
    virtual bool wait_on(std::vector<pollfd>& descriptors) = 0;
};

}  // namespace eco
