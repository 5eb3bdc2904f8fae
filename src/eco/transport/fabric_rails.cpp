// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/fabric_rails.h"

#if ECO_RAILS
#include <algorithm>
#include <array>
#include <deque>
#include <nlohmann/json.hpp>
#include <utility>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/transport/interfaces.h"
#include "eco/transport/libfabric.h"

namespace eco {

namespace {

// Closes what libfabric opened, in the order opposite to that of the members that hold it.
struct Close {
    template <typename Thing>
    void operator()(Thing* thing) const {
        fi_close(&thing->fid);
    }
};
template <typename Thing>
using Owned = std::unique_ptr<Thing, Close>;

// One write under way. libfabric keeps notes of its own in the first member.
struct Put {
    fi_context2 context;
    Rank to;
    fi_addr_t address;
    const void* from;
    void* descriptor;
    Target where;
    Bytes bytes;
    std::uint32_t data;
    void* owner;
};

struct Rail {
    Card card;
    Owned<fid_fabric> fabric;
    Owned<fid_domain> domain;
    Owned<fid_av> peers;
    Owned<fid_cq> sent, arrived;
    Owned<fid_ep> endpoint;
    std::string address;
    std::vector<fi_addr_t> address_of;  // per rank
    std::deque<Put*> waiting;           // for room in the provider's queues
    std::uint64_t next_key = 1;

    bool needs(int mode) const { return (card.info->domain_attr->mr_mode & mode) != 0; }
};

class Memory : public Registered {
public:
    struct Part {
        Owned<fid_mr> region;
        Target target;
    };
    std::vector<Part> parts;  // per rail
    Target target(int rail) const override { return parts[static_cast<std::size_t>(rail)].target; }
};

class FabricRails : public Rails {
public:
    FabricRails(Libfabric library, RateTo rate_to)
        : library_(library), rate_to_(std::move(rate_to)) {}

    // False where the card cannot be used; then `why`.
    bool open(const Card& card, std::string& why);

    int count() const override { return static_cast<int>(rails_.size()); }
    std::string own_address() const override;
    void connect(const std::vector<std::string>& addresses) override;
    const std::vector<RailPath>& ways(Rank peer) const override {
        return ways_[static_cast<std::size_t>(peer)];
    }
    std::unique_ptr<Registered> add(void* data, Bytes bytes) override;
    bool registers_sources() const override {
        for (const auto& rail : rails_)
            if (rail->needs(FI_MR_LOCAL)) return true;
        return false;
    }
    void put_notify(Rank to, int way, const void* from, const Registered* source, Target where,
                    Bytes bytes, std::uint32_t data, void* owner) override;
    void progress(std::vector<RailEvent>& events) override;
    void check() const override {
        for (const auto& rail : rails_)
            if (is_down(rail->card.name)) fail(*rail, "is down", "messages may be lost");
    }
    bool wait_on(std::vector<pollfd>& descriptors) override;

private:
    bool start(Rail& rail, Put& put);
    void read(Rail& rail, fid_cq* queue, std::vector<RailEvent>& events);
    [[noreturn]] static void fail(const Rail& rail, const std::string& what,
                                  const std::string& detail);
    std::string text(long code) const { return library_.strerror(static_cast<int>(-code)); }

    Libfabric library_;
    RateTo rate_to_;
    std::vector<std::unique_ptr<Rail>> rails_;
    std::vector<std::vector<RailPath>> ways_;
    std::deque<Put> puts_;
    std::vector<Put*> free_;
};

template <typename Thing, typename Open>
bool make(Owned<Thing>& owned, const Open& open, const char* what, std::string& why) {
    Thing* made = nullptr;
    const int code = open(&made);
    owned.reset(code == 0 ? made : nullptr);
    if (code != 0) why = std::string(what) + " " + std::to_string(code);
    return code == 0;
}

bool FabricRails::open(const Card& card, std::string& why) {
    auto rail = std::make_unique<Rail>();
    fi_info* info = card.info.get();
    rail->card = card;
    fi_cq_attr queue{};
    queue.format = FI_CQ_FORMAT_DATA;
    queue.size = 4096;
    queue.wait_obj = FI_WAIT_FD;
    fi_av_attr table{};
    table.type = FI_AV_TABLE;
    Rail& r = *rail;
    if (!make(
            r.fabric, [&](auto to) { return library_.fabric(info->fabric_attr, to, nullptr); },
            "fi_fabric", why) ||
        !make(
            r.domain, [&](auto to) { return fi_domain(r.fabric.get(), info, to, nullptr); },
            "fi_domain", why) ||
        !make(
            r.sent, [&](auto to) { return fi_cq_open(r.domain.get(), &queue, to, nullptr); },
            "fi_cq_open", why) ||
        !make(
            r.arrived, [&](auto to) { return fi_cq_open(r.domain.get(), &queue, to, nullptr); },
            "fi_cq_open", why) ||
        !make(
            r.peers, [&](auto to) { return fi_av_open(r.domain.get(), &table, to, nullptr); },
            "fi_av_open", why) ||
        !make(
            r.endpoint, [&](auto to) { return fi_endpoint(r.domain.get(), info, to, nullptr); },
            "fi_endpoint", why))
        return false;
    int code = fi_ep_bind(r.endpoint.get(), &r.peers->fid, 0);
    if (code == 0) code = fi_ep_bind(r.endpoint.get(), &r.sent->fid, FI_TRANSMIT);
    if (code == 0) code = fi_ep_bind(r.endpoint.get(), &r.arrived->fid, FI_RECV);
    if (code == 0) code = fi_enable(r.endpoint.get());
    std::array<char, 256> name{};
    std::size_t length = name.size();
    if (code == 0) code = fi_getname(&r.endpoint->fid, name.data(), &length);
    if (code != 0) {
        why = "its endpoint: " + text(code);
        return false;
    }
    r.address.assign(name.data(), length);
    rails_.push_back(std::move(rail));
    return true;
}

std::string FabricRails::own_address() const {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& rail : rails_)
        all.push_back({rail->card.provider, rail->card.network,
                       nlohmann::json::binary({rail->address.begin(), rail->address.end()})});
    const auto packed = nlohmann::json::to_cbor(all);
    return {packed.begin(), packed.end()};
}

void FabricRails::connect(const std::vector<std::string>& addresses) {
    for (const auto& rail : rails_) rail->address_of.assign(addresses.size(), FI_ADDR_UNSPEC);
    ways_.assign(addresses.size(), {});
    const std::string own = own_address();
    const std::size_t me = static_cast<std::size_t>(
        std::find(addresses.begin(), addresses.end(), own) - addresses.begin());
    for (std::size_t peer = 0; peer < addresses.size(); ++peer) {
        if (addresses[peer].empty() || peer == me) continue;
        const auto theirs = nlohmann::json::from_cbor(addresses[peer]);
        std::vector<bool> taken(theirs.size());
        auto& ways = ways_[peer];
        for (std::size_t r = 0; r < rails_.size(); ++r) {
            Rail& rail = *rails_[r];
            for (std::size_t t = 0; t < theirs.size(); ++t) {
                if (taken[t] || theirs[t].at(0) != rail.card.provider ||
                    theirs[t].at(1) != rail.card.network)
                    continue;
                const auto& name = theirs[t].at(2).get_binary();
                if (fi_av_insert(rail.peers.get(), name.data(), 1, &rail.address_of[peer], 0,
                                 nullptr) != 1)
                    break;
                taken[t] = true;
                ways.push_back({static_cast<int>(r), static_cast<int>(t),
                                rate_to_(rail.card.network, static_cast<Rank>(peer))});
                break;
            }
        }
        // Both count alike: the fastest first, among equals in the order of the lower rank.
        std::sort(ways.begin(), ways.end(),
                  [lower = peer < me](const RailPath& a, const RailPath& b) {
                      return std::pair(-a.rate, lower ? a.theirs : a.rail) <
                             std::pair(-b.rate, lower ? b.theirs : b.rail);
                  });
    }
}

std::unique_ptr<Registered> FabricRails::add(void* data, Bytes bytes) {
    // Each time: providers that pin memory keep what they registered, and learn of it when the
    // program frees it, as we would not.
    auto memory = std::make_unique<Memory>();
    for (const auto& rail : rails_) {
        Memory::Part part;
        fid_mr* region = nullptr;
        const std::uint64_t key = rail->needs(FI_MR_PROV_KEY) ? 0 : rail->next_key++;
        int code = fi_mr_reg(rail->domain.get(), data, static_cast<std::size_t>(bytes),
                             FI_WRITE | FI_REMOTE_WRITE, 0, key, 0, &region, nullptr);
        if (code == 0) part.region.reset(region);
        if (code == 0 && rail->needs(FI_MR_ENDPOINT)) {
            code = fi_mr_bind(region, &rail->endpoint->fid, 0);
            if (code == 0) code = fi_mr_enable(region);
        }
        if (code != 0)
            fail(*rail, "cannot register " + std::to_string(bytes) + " bytes", text(code));
        const bool by_address = rail->needs(FI_MR_VIRT_ADDR);
        part.target = {by_address ? reinterpret_cast<std::uint64_t>(data) : 0, fi_mr_key(region)};
        memory->parts.push_back(std::move(part));
    }
    return memory;
}

void FabricRails::put_notify(Rank to, int way, const void* from, const Registered* source,
                             Target where, Bytes bytes, std::uint32_t data, void* owner) {
    const auto number = static_cast<std::size_t>(
        ways_[static_cast<std::size_t>(to)][static_cast<std::size_t>(way)].rail);
    Rail& rail = *rails_[number];
    if (free_.empty()) free_.push_back(&puts_.emplace_back());
    Put& put = *free_.back();
    free_.pop_back();
    put.to = to;
    put.address = rail.address_of[static_cast<std::size_t>(to)];
    put.from = from;
    put.where = where;
    put.bytes = bytes;
    put.data = data;
    put.owner = owner;
    put.descriptor = nullptr;
    if (rail.needs(FI_MR_LOCAL)) {
        ECO_CHECK(source);
        put.descriptor = fi_mr_desc(static_cast<const Memory*>(source)->parts[number].region.get());
    }
    if (!rail.waiting.empty() || !start(rail, put)) rail.waiting.push_back(&put);
}

// False where the provider has no room for it now.
bool FabricRails::start(Rail& rail, Put& put) {
    const ssize_t code = fi_writedata(rail.endpoint.get(), put.from,
                                      static_cast<std::size_t>(put.bytes), put.descriptor, put.data,
                                      put.address, put.where.address, put.where.key, &put.context);
    if (code == -FI_EAGAIN) return false;
    if (code != 0) fail(rail, "writing to rank " + std::to_string(put.to) + " failed", text(code));
    return true;
}

void FabricRails::progress(std::vector<RailEvent>& events) {
    for (const auto& rail : rails_) {
        read(*rail, rail->sent.get(), events);
        read(*rail, rail->arrived.get(), events);
        while (!rail->waiting.empty() && start(*rail, *rail->waiting.front()))
            rail->waiting.pop_front();
    }
}

void FabricRails::read(Rail& rail, fid_cq* queue, std::vector<RailEvent>& events) {
    std::array<fi_cq_data_entry, 16> entries{};
    while (true) {
        const ssize_t count = fi_cq_read(queue, entries.data(), entries.size());
        if (count == -FI_EAGAIN) return;
        if (count == -FI_EAVAIL) {
            fi_cq_err_entry error{};
            fi_cq_readerr(queue, &error, 0);
            const auto* put = static_cast<const Put*>(error.op_context);
            const bool ours = put && queue == rail.sent.get();
            fail(rail, ours ? "writing to rank " + std::to_string(put->to) + " failed" : "failed",
                 text(-error.err));
        }
        if (count < 0) fail(rail, "failed", text(count));
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            if (queue == rail.arrived.get()) {
                if (entries[i].flags & FI_REMOTE_CQ_DATA)
                    events.push_back({true, static_cast<std::uint32_t>(entries[i].data), nullptr});
                continue;
            }
            auto* put = static_cast<Put*>(entries[i].op_context);
            events.push_back({false, 0, put->owner});
            free_.push_back(put);
        }
        if (static_cast<std::size_t>(count) < entries.size()) return;
    }
}

bool FabricRails::wait_on(std::vector<pollfd>& descriptors) {
    for (const auto& rail : rails_) {
        // What waits for room must be tried again: nothing says when there is some.
        if (!rail->waiting.empty()) return false;
        std::array<fid*, 2> queues{&rail->sent->fid, &rail->arrived->fid};
        if (fi_trywait(rail->fabric.get(), queues.data(), static_cast<int>(queues.size())) != 0)
            return false;
        for (fid* queue : queues) {
            int descriptor = -1;
            if (fi_control(queue, FI_GETWAIT, &descriptor) == 0)
                descriptors.push_back({descriptor, POLLIN, 0});
        }
    }
    return true;
}

void FabricRails::fail(const Rail& rail, const std::string& what, const std::string& detail) {
    throw Error(Code::environment,
                "rail " + rail.card.name + " (" + rail.card.network + "): " + what + ": " + detail);
}

}  // namespace

CardNames list_cards() {
    CardNames names;
    const Libfabric library;
    if (!library.usable()) {
        names.why = "libfabric is not installed";
        return names;
    }
    for (const Card& card : find_cards(library, names.left_out))
        names.cards.push_back({card.name, card.network, card.provider});
    if (names.cards.empty()) names.why = "libfabric finds no NIC that it can use";
    return names;
}

std::unique_ptr<Rails> open_fabric_rails(const std::set<std::string>& networks, RateTo rate_to,
                                         std::string& why) {
    const Libfabric library;
    if (!library.usable()) {
        why = "libfabric is not installed";
        return nullptr;
    }
    auto rails = std::make_unique<FabricRails>(library, std::move(rate_to));
    std::vector<std::pair<std::string, std::string>> left_out;
    for (const Card& card : find_cards(library, left_out)) {
        if (!networks.empty() && !networks.contains(card.network)) continue;
        std::string fault;
        if (!rails->open(card, fault)) why += (why.empty() ? "" : "; ") + card.name + ": " + fault;
    }
    if (rails->count() > 0) return rails;
    for (const auto& [card, reason] : left_out)
        if (why.empty() && reason.starts_with("FI_")) why = reason;
    if (why.empty()) why = "libfabric finds no NIC that it can use";
    return nullptr;
}

}  // namespace eco

#else

namespace eco {

CardNames list_cards() { return {{}, {}, "ECO was built without libfabric's headers"}; }

std::unique_ptr<Rails> open_fabric_rails(const std::set<std::string>&, RateTo, std::string& why) {
    why = "ECO was built without libfabric's headers";
    return nullptr;
}

}  // namespace eco
#endif
