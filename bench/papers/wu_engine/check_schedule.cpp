// SPDX-License-Identifier: BSD-3-Clause
// Checks from the finished times alone, task by task, not by running the lists again.
#include "check_schedule.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace eco::multicast {

namespace {

struct Copy {
    const TimedTask* send = nullptr;
    const TimedTask* recv = nullptr;
    Rank from = -1;
};

class Verifier {
public:
    Verifier(const Pattern& pattern, const Schedule& schedule)
        : pattern_(pattern), schedule_(schedule) {}

    std::string verify() {
        if (schedule_.ranks.size() != static_cast<std::size_t>(pattern_.ranks()))
            return "the schedule is for " + std::to_string(schedule_.ranks.size()) + " ranks";
        for (Rank me = 0; me < pattern_.ranks(); ++me)
            if (auto wrong = collect(me); !wrong.empty()) return wrong;
        if (auto wrong = delivered(); !wrong.empty()) return wrong;
        Seconds last = 0;
        for (const auto& [key, copy] : copies_) {
            if (auto wrong = copy_is_right(key.first, key.second, copy); !wrong.empty())
                return wrong;
            last = std::max(last, copy.recv->end);
        }
        if (!same(last, schedule_.completion))
            return "the last receive does not end at the completion time";
        return "";
    }

private:
    static std::string name(int message, Rank to) {
        return "message " + std::to_string(message) + " to rank " + std::to_string(to);
    }
    static bool same(Seconds a, Seconds b) { return std::abs(a - b) <= slack(a); }
    static Seconds slack(Seconds a) { return 1e-12 + 1e-9 * std::abs(a); }

    // The rank's tasks one after the other, each copy with one send and one receive.
    std::string collect(Rank me) {
        Seconds free = 0;
        for (const TimedTask& task : schedule_.ranks[static_cast<std::size_t>(me)]) {
            if (task.message < 0 ||
                static_cast<std::size_t>(task.message) >= pattern_.messages.size())
                return "rank " + std::to_string(me) + " names message " +
                       std::to_string(task.message) + ", which there is not";
            if (!same(task.start, free))
                return "rank " + std::to_string(me) +
                       " does not begin a task when the one before it ends";
            free = task.end;
            const bool sends = task.direction == Direction::send;
            const Rank to = sends ? task.peer : me;
            Copy& copy = copies_[{task.message, to}];
            const TimedTask*& half = sends ? copy.send : copy.recv;
            if (half != nullptr)
                return name(task.message, to) + (sends ? " is sent twice" : " is received twice");
            half = &task;
            const Rank from = sends ? me : task.peer;
            if (copy.from >= 0 && copy.from != from)
                return name(task.message, to) + " is awaited from another rank than sends it";
            copy.from = from;
        }
        return "";
    }

    std::string delivered() const {
        std::size_t wanted = 0;
        for (std::size_t k = 0; k < pattern_.messages.size(); ++k)
            for (const Rank to : pattern_.messages[k].destinations) {
                ++wanted;
                if (!copies_.contains({static_cast<int>(k), to}))
                    return name(static_cast<int>(k), to) + " is never delivered";
            }
        if (copies_.size() != wanted) return "a message goes to a rank that is no destination";
        return "";
    }

    std::string copy_is_right(int message, Rank to, const Copy& copy) const {
        if (copy.send == nullptr) return name(message, to) + " is received but never sent";
        if (copy.recv == nullptr) return name(message, to) + " is sent but never received";
        const Message& what = pattern_.messages[static_cast<std::size_t>(message)];
        const CostModel& model = pattern_.model;
        if (copy.from != what.source) {
            const auto own = copies_.find({message, copy.from});
            if (own == copies_.end() || own->second.recv == nullptr ||
                own->second.recv->end > copy.send->start + slack(copy.send->start))
                return name(message, to) + " is sent before its sender has it";
        }
        const auto from = static_cast<std::size_t>(copy.from);
        if (!same(copy.send->end - copy.send->start, model.send[from].of(what.bytes)))
            return name(message, to) + ": its send does not take the send overhead";
        const Seconds arrival = copy.send->end + model.transfer(copy.from, to).of(what.bytes);
        if (!same(copy.recv->end, std::max(arrival, copy.recv->start) +
                                      model.receive[static_cast<std::size_t>(to)].of(what.bytes)))
            return name(message, to) +
                   ": its receive does not end its overhead after it arrived and was issued";
        return "";
    }

    const Pattern& pattern_;
    const Schedule& schedule_;
    std::map<std::pair<int, Rank>, Copy> copies_;
};

}  // namespace

std::string verify(const Pattern& pattern, const Schedule& schedule) {
    return Verifier(pattern, schedule).verify();
}

}  // namespace eco::multicast
