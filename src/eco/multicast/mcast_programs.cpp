// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/mcast_programs.h"

#include <algorithm>
#include <optional>
#include <set>

#include "eco/base/at.h"

namespace eco::multicast {

namespace {

// Which message is multicast after which.
class Turns {
public:
    Turns(int ranks, const std::vector<Message>& messages,
          const std::vector<std::vector<Rank>>& reached)
        : reached_(reached), of_source_(at(ranks)), before_(at(ranks)) {
        for (std::size_t m = 0; m < messages.size(); ++m) {
            if (reached[m].empty()) continue;
            of_source_[at(messages[m].source)].push_back(m);
            for (const Rank to : reached[m]) ++before_[at(to)];
        }
    }

    // The first that has fewest others to come after, then always one that can follow.
    std::vector<std::size_t> run() {
        std::vector<Rank> sources;
        for (std::size_t rank = 0; rank < of_source_.size(); ++rank)
            sources.push_back(static_cast<Rank>(rank));
        std::vector<std::size_t> turns;
        while (const auto source = hardest(sources)) {
            auto& own = of_source_[at(*source)];
            for (const std::size_t message : own) {
                turns.push_back(message);
                for (const Rank to : reached_[message]) --before_[at(to)];
            }
            // A rank sends all of its own one after the other; the next got the last of them.
            own.clear();
            sources = reached_[turns.back()];
        }
        return turns;
    }

private:
    // Of those that have something to send, the one that fewest are left to be followed by.
    std::optional<Rank> hardest(const std::vector<Rank>& ranks) const {
        std::optional<Rank> found;
        for (const Rank rank : ranks)
            if (!of_source_[at(rank)].empty() &&
                (!found ||
                 std::pair(before_[at(rank)], rank) < std::pair(before_[at(*found)], *found)))
                found = rank;
        return found;
    }

    const std::vector<std::vector<Rank>>& reached_;
    std::vector<std::vector<std::size_t>> of_source_;  // per rank, not sent yet
    std::vector<int> before_;                          // per rank, multicasts that it waits for
};

std::vector<Rank> reached_by(const std::vector<bool>& holds, const std::vector<int>& host_of,
                             const Message& message) {
    const auto is_held = [&](Rank rank) { return holds[at(host_of[at(rank)])]; };
    std::vector<Rank> list;
    if (!is_held(message.source)) return list;
    std::set<int> hosts;
    for (const Rank to : message.destinations) {
        if (!is_held(to)) continue;
        list.push_back(to);
        if (host_of[at(to)] != host_of[at(message.source)]) hosts.insert(host_of[at(to)]);
    }
    if (hosts.size() < 2) list.clear();
    return list;
}

}  // namespace

std::vector<std::vector<Rank>> reached(const Network& network, const std::vector<int>& host_of,
                                       const std::vector<Message>& messages) {
    std::vector<std::vector<Rank>> all;
    for (const Message& message : messages) {
        auto& most = all.emplace_back();
        for (const Network::McastReach& reach : network.mcasts) {
            auto list = reached_by(reach.holds, host_of, message);
            if (list.size() > most.size()) most = std::move(list);
        }
    }
    return all;
}

std::vector<Program> mcast_programs(int ranks, const std::vector<Message>& messages,
                                    const std::vector<std::vector<Rank>>& reached) {
    const auto turns = Turns(ranks, messages, reached).run();
    if (turns.empty()) return {};
    std::vector<Builder> builders(at(ranks), Builder(1, false));
    // Per rank: its multicasts so far, and the task by which it got the last message.
    std::vector<std::int32_t> sent(at(ranks), 0);
    std::vector<std::int32_t> got(at(ranks), -1);
    std::vector<bool> is_multicast(messages.size(), false);
    Rank before = -1;
    for (const std::size_t m : turns) {
        const Rank source = messages[m].source;
        const Chunk chunk[1] = {static_cast<Chunk>(m)};
        Builder& builder = builders[at(source)];
        if (before >= 0 && before != source) builder.wait_also_for(got[at(source)]);
        builder.mcast(reached[m], input, chunk);
        for (const Rank to : reached[m]) {
            builders[at(to)].mcast_recv(source, output, chunk, sent[at(source)]);
            got[at(to)] = builders[at(to)].last_task();
        }
        ++sent[at(source)];
        is_multicast[m] = true;
        before = source;
    }
    for (std::size_t m = 0; m < messages.size(); ++m) {
        const Chunk chunk[1] = {static_cast<Chunk>(m)};
        for (const Rank to : messages[m].destinations) {
            const bool has = is_multicast[m] && std::find(reached[m].begin(), reached[m].end(),
                                                          to) != reached[m].end();
            if (has) continue;
            builders[at(messages[m].source)].send(to, input, chunk);
            builders[at(to)].recv(messages[m].source, output, chunk);
        }
    }
    std::vector<Program> list;
    for (Builder& builder : builders) list.push_back(builder.finish());
    return list;
}

}  // namespace eco::multicast
