// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_way.h"

#include <algorithm>
#include <span>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/measure/mcast_reach.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/transport/interfaces.h"

namespace eco {

namespace {

// A host sends so many probes by each NIC; who receives two of all that it ever sends is reached.
constexpr int probes = 3, enough_probes = 2;
// All send so often again where some were lost, later than a burst of losses lasts.
constexpr int more_probes = 3;
constexpr Seconds until_more = 0.1;
constexpr Seconds between_probes = 2e-4;
// Until switches have seen who joined.
constexpr Seconds joining = 50e-3;
constexpr std::size_t most_nics = 8;
constexpr std::size_t longest_card = 16;  // IFNAMSIZ

// Of the NICs by which the most are reached the fastest, or the first if one's speed is not known.
std::size_t fastest_of_best(std::span<const int> receivers, std::span<const double> speeds) {
    const auto first = std::max_element(receivers.begin(), receivers.end());
    auto best = static_cast<std::size_t>(first - receivers.begin());
    for (std::size_t i = best, start = best; i < receivers.size(); ++i) {
        if (receivers[i] < *first) continue;
        if (speeds[i] <= 0) return start;
        if (speeds[i] > speeds[best]) best = i;
    }
    return best;
}

}  // namespace

McastWay::McastWay(IpFamily family, const McastKey& key, const std::vector<int>& leader,
                   const std::set<std::string>& not_joining, const MeasuredRails* rails)
    : family_(family), key_(key), leader_(leader), hosts_(leader.size()), own_(most_nics) {
    check_mpi(mpi_.Comm_rank(mpi_.comm_world, &rank_));
    check_mpi(mpi_.Comm_size(mpi_.comm_world, &ranks_));
    const auto mine = std::find(leader.begin(), leader.end(), rank_);
    if (mine != leader.end()) host_ = static_cast<int>(mine - leader.begin());
    open(not_joining);
    share_cards(rails);
    begin_round();
    received_.assign(hosts_ * most_nics, 0);
    receive(mcast_now() + joining, [](const McastHeader&) {});
    send_probes();
    choose();
    for (int time = 0; time < more_probes && some_probes_were_lost(reach_); ++time) {
        receive(mcast_now() + until_more, [](const McastHeader&) {});
        send_probes();
        choose();
    }
}

void McastWay::open(const std::set<std::string>& not_joining) {
    if (host_ < 0) return;
    nics_ = mcast_interfaces(family_);
    const std::vector<IpAddress> addresses = ip_addresses();
    std::erase_if(nics_, [&](const McastInterface& nic) {
        return std::any_of(addresses.begin(), addresses.end(), [&](const IpAddress& each) {
            return each.interface == nic.name &&
                   not_joining.count(network_text(each.address, each.prefix)) > 0;
        });
    });
    if (nics_.size() > most_nics) nics_.resize(most_nics);
    header_.key = key_;
    header_.sender = static_cast<std::uint32_t>(host_);
    try {
        if (!nics_.empty())
            socket_ = std::make_unique<McastSocket>(mcast_group(key_, family_), nics_);
    } catch (const Error&) {
        // Then this host neither sends nor receives.
    }
}

bool McastWay::send(int index, Bytes bytes, const McastAddress& to) {
    if (!socket_) return false;
    padding_.resize(static_cast<std::size_t>(bytes));
    Datagram datagram{};
    datagram.header = header_;
    datagram.header.call = round_;
    datagram.header.index = static_cast<std::uint32_t>(index);
    datagram.data = padding_.data();
    datagram.bytes = bytes;
    return socket_->send({&datagram, 1}, to) == 1;
}

// Hosts send one after the other, all receive all the time.
void McastWay::send_probes() {
    check_mpi(mpi_.Barrier(mpi_.comm_world));
    const auto note = [&](const McastHeader& header) {
        if (header.sender < hosts_ && header.interface < most_nics)
            ++received_[header.sender * most_nics + header.interface];
    };
    const Seconds began = mcast_now();
    const Seconds turn = between_probes * probes * static_cast<double>(most_nics) / 2;
    if (socket_) {
        receive(began + turn * host_, note);
        for (int time = 0; time < probes; ++time)
            for (std::size_t i = 0; i < nics_.size(); ++i) {
                socket_->send_by(nics_[i]);
                header_.interface = static_cast<std::uint32_t>(i);
                send(time, 8);
                receive(mcast_now() + between_probes, note);
            }
        receive(began + turn * static_cast<double>(hosts_), note);
    }
    // Where many ranks share processors, some send late.
    check_mpi(mpi_.Barrier(mpi_.comm_world));
    receive(mcast_now() + last_datagram, note);
}

// Of all hosts; and how fast each NIC is, where rank 0 knows it as a rail's card.
void McastWay::share_cards(const MeasuredRails* rails) {
    const std::size_t each = most_nics * longest_card;
    std::string own(each, '\0');
    for (std::size_t i = 0; i < nics_.size(); ++i)
        nics_[i].name.copy(own.data() + i * longest_card, longest_card - 1);
    cards_.assign(each * at(ranks_), '\0');
    check_mpi(mpi_.Allgather(own.data(), static_cast<int>(each), mpi_.byte, cards_.data(),
                             static_cast<int>(each), mpi_.byte, mpi_.comm_world));
    speeds_.assign(hosts_ * most_nics, 0);
    if (rails)
        for (std::size_t i = 0; i < speeds_.size(); ++i)
            speeds_[i] = rails->rate_of(i / most_nics, card(i / most_nics, i % most_nics));
    check_mpi(mpi_.Bcast(speeds_.data(), static_cast<int>(speeds_.size()), mpi_.real64, 0,
                         mpi_.comm_world));
}

std::string McastWay::card(std::size_t host, std::size_t nic) const {
    if (leader_[host] < 0) return "";
    return cards_.c_str() + (at(leader_[host]) * most_nics + nic) * longest_card;
}

// By which NIC each host is received by most, of several the fastest; then who reaches whom.
void McastWay::choose() {
    std::vector<unsigned char> own(hosts_, 0), all(own.size() * at(ranks_));
    for (std::size_t sender = 0; sender < hosts_; ++sender)
        for (std::size_t i = 0; i < most_nics; ++i)
            if (received_[sender * most_nics + i] >= enough_probes)
                own[sender] = static_cast<unsigned char>(own[sender] | 1U << i);
    const int count = static_cast<int>(hosts_);
    check_mpi(mpi_.Allgather(own.data(), count, mpi_.byte, all.data(), count, mpi_.byte,
                             mpi_.comm_world));
    const auto receives = [&](std::size_t receiver, std::size_t sender, std::size_t nic) {
        return leader_[receiver] >= 0 && leader_[sender] >= 0 &&
               (all[at(leader_[receiver]) * hosts_ + sender] >> nic & 1) != 0;
    };
    reach_.assign(hosts_, std::vector<bool>(hosts_, false));
    used_.clear();
    own_ = most_nics;
    for (std::size_t sender = 0; sender < hosts_; ++sender) {
        std::vector<int> receivers(most_nics, 0);
        for (std::size_t i = 0; i < most_nics; ++i)
            for (std::size_t receiver = 0; receiver < hosts_; ++receiver)
                if (receiver != sender && receives(receiver, sender, i)) ++receivers[i];
        const std::size_t best =
            fastest_of_best(receivers, std::span(speeds_).subspan(sender * most_nics, most_nics));
        for (std::size_t receiver = 0; receiver < hosts_; ++receiver)
            reach_[sender][receiver] = receiver == sender || receives(receiver, sender, best);
        const bool is_used = receivers[best] > 0;
        if (static_cast<int>(sender) == host_ && is_used) own_ = best;
        used_.push_back(is_used ? card(sender, best) : "");
    }
    if (own_ < nics_.size() && socket_) socket_->send_by(nics_[own_]);
}

int McastWay::reached() const {
    int pairs = 0;
    for (const auto& row : reach_)
        pairs += static_cast<int>(std::count(row.begin(), row.end(), true));
    return pairs;
}

int McastWay::every_pair() const {
    const auto none = static_cast<int>(std::count(leader_.begin(), leader_.end(), -1));
    const int others = static_cast<int>(hosts_) - none;
    return others * others + none;
}

Bytes McastWay::shared_payload() const {
    int own = 65535, least = 0;
    if (own_ < nics_.size()) own = static_cast<int>(nics_[own_].mtu);
    check_mpi(mpi_.Allreduce(&own, &least, 1, mpi_.int32, mpi_.min, mpi_.comm_world));
    return payload_of(std::min<Bytes>(least, 9000));
}

Bytes McastWay::payload_of(Bytes mtu) const {
    return (mtu - ip_and_udp(family_) - static_cast<Bytes>(sizeof(McastHeader))) / 8 * 8;
}

}  // namespace eco
