// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/forecaster.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <tuple>

#include "eco/base/at.h"
#include "eco/base/text.h"
#include "eco/measure/later_steps.h"
#include "eco/measure/messages.h"
#include "eco/measure/rank_order.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/topology/build_hierarchy.h"
#include "eco/topology/build_network.h"

namespace eco {

namespace {

// How many of the best are kept.
constexpr std::size_t most_kept = 6;

// Beyond what is timed in reasonable time as well.
constexpr Bytes predicted_sizes[] = {16, 1024, 16384, 65536, 262144, 1048576};

// Ranks on each host if there are several: more take longer to simulate and differ little.
constexpr int several = 2;
// Those take four times as long to simulate, or more: the sizes beside which calls with one rank on
// each host are timed (shared_hosts.h).
constexpr Bytes predicted_sizes_of_several[] = {1024, 16384, 131072, 1048576};

// Before a limit is looked at again: at first, at most of each rank; what takes less than this is
// followed by twice as many, what takes longer by half as many.
constexpr int first_questions = 2, most_of_rank = 2;
constexpr std::chrono::milliseconds short_batch{500}, long_batch{1000};

// The same schedules answer for all forms of an operation.
Question plain(Question question) {
    const OperationTraits& kind = traits(question.operation);
    if (kind.operation != kind.base) question.operation = kind.base;
    if (question.operation == Operation::barrier) question.bytes = 0;
    return question;
}

// What comes first where the time may be over before all is answered. All-to-alls last: of many
// hosts they take as long as all others together. Of several ranks on each host what programs
// call most, and of that what is simulated soonest.
using Urgency = std::tuple<bool, bool, bool, Bytes>;
Urgency urgency(const Question& question) {
    const OperationTraits& asked = traits(question.operation);
    const std::size_t ranks = question.host_of.size();
    const std::set<int> hosts(question.host_of.begin(), question.host_of.end());
    const bool is_shared = hosts.size() < ranks;
    const bool is_rare = asked.rules == Rules::prefix || asked.rules == Rules::root_blocks;
    return {asked.blocks == Blocks::per_pair, is_shared, is_shared && is_rare,
            is_shared ? question.bytes : 0};
}

// A rank on each host in ring order, or several.
std::vector<int> hosts_in_order(const Profile& profile, int ranks_on_host,
                                const std::string& order) {
    std::vector<int> host_of;
    for (const int host : profile.ring)
        for (int rank = 0; rank < ranks_on_host; ++rank) host_of.push_back(host);
    return in_order(std::move(host_of), order);
}

Seconds seconds(Forecaster::Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

bool is_one_subnet(const Profile& profile) {
    const auto& level = profile.levels.front();
    return std::all_of(level.begin(), level.end(), [](int id) { return id == 0; });
}

}  // namespace

Forecaster::Forecaster(const Profile& profile) : profile_(profile) {}

bool Forecaster::knows() const { return profile_.model && !profile_.minimum.empty(); }

Question Forecaster::in_ring_order(Question question) const {
    std::vector<std::size_t> place(profile_.hosts.size());
    for (std::size_t i = 0; i < profile_.ring.size(); ++i) place[at(profile_.ring[i])] = i;
    std::stable_sort(question.host_of.begin(), question.host_of.end(),
                     [&](int a, int b) { return place[at(a)] < place[at(b)]; });
    return question;
}

Forecast Forecaster::work_out(const Question& question) {
    if (!network_) network_ = build_network(profile_);
    Hierarchy hierarchy = build_hierarchy(profile_, question.host_of);
    // What goes over rails is timed whatever is predicted, and never runs untimed.
    hierarchy.rails = 0;
    const Request request{question.operation, &hierarchy};
    const auto roots = representative_roots(hierarchy, question.operation);
    if (const Forecast* near = find(in_ring_order(question))) {
        Forecast found;
        std::copy_if(near->choices.begin(), near->choices.end(), std::back_inserter(found.choices),
                     [&](const Predicted& each) {
                         return follows_network(each.choice, request) &&
                                supports(each.choice, request);
                     });
        if (!found.choices.empty()) {
            found.baseline =
                forecast_baseline(*network_, question.host_of, request, question.bytes, roots);
            return found;
        }
    }
    Forecast found = forecast(*network_, question.host_of, request, question.bytes, roots);
    found.choices = shortlist(found, most_kept);
    return found;
}

void Forecaster::answer(std::vector<Question> questions, Clock::time_point until,
                        const std::function<void(double)>& show) {
    if (!knows()) return;
    std::multimap<Urgency, Question> by_urgency;  // of equals in the order given
    std::set<Question> fresh;
    for (Question& question : questions) {
        const Urgency key = urgency(question);
        const auto added = by_urgency.emplace(key, plain(std::move(question)));
        if (!known_.contains(added->second)) fresh.insert(added->second);
    }
    // What is found for ranks in ring order answers most of the same question for others, which
    // follows it at once.
    std::vector<Question> asked;
    std::map<Question, std::vector<Question>> followers;
    for (const auto& [key, question] : by_urgency) {
        Question near = in_ring_order(question);
        if (near != question && fresh.contains(near)) {
            if (fresh.erase(question) > 0) followers[std::move(near)].push_back(question);
        } else if (fresh.contains(question) &&
                   std::find(asked.begin(), asked.end(), question) == asked.end()) {
            asked.push_back(question);
        }
    }
    int rank = 0, ranks = 0;
    check_mpi(native().Comm_rank(native().comm_world, &rank));
    check_mpi(native().Comm_size(native().comm_world, &ranks));
    const bool limited = until != Clock::time_point::max();
    // Few at first: ranks may be many more than processors. Rank 0 says how many next.
    int at_once = limited ? std::min(ranks, first_questions) : static_cast<int>(asked.size());
    Clock::duration last_took{};
    for (std::size_t first = 0; first < asked.size();) {
        const auto began = Clock::now();
        // As long as the last ones took together, the next ones may take.
        if (limited && began + last_took >= until) at_once = 0;
        if (limited) check_mpi(native().Bcast(&at_once, 1, native().int32, 0, native().comm_world));
        if (at_once == 0) return;
        const auto begin = asked.begin() + static_cast<std::ptrdiff_t>(first);
        const auto count = std::min(static_cast<std::size_t>(at_once), asked.size() - first);
        const std::vector<Question> batch(begin, begin + static_cast<std::ptrdiff_t>(count));
        answer_all(batch, rank, ranks);
        std::vector<Question> following;
        for (const Question& near : batch)
            following.insert(following.end(), followers[near].begin(), followers[near].end());
        answer_all(following, rank, ranks);
        first += count;
        show(static_cast<double>(first) / static_cast<double>(asked.size()));
        last_took = Clock::now() - began;
        if (last_took < short_batch) at_once = std::min(2 * at_once, most_of_rank * ranks);
        if (last_took > long_batch) at_once = std::max(at_once / 2, 1);
    }
}

// Each rank works out its share.
void Forecaster::answer_all(const std::vector<Question>& questions, int rank, int ranks) {
    std::string own;
    for (auto number = static_cast<std::size_t>(rank); number < questions.size();
         number += static_cast<std::size_t>(ranks)) {
        const Forecast found = work_out(questions[number]);
        nlohmann::json choices = nlohmann::json::array();
        for (const Predicted& each : found.choices)
            choices.push_back({to_text(each.choice), each.time});
        own +=
            nlohmann::json{{"question", number}, {"textbook", found.baseline}, {"choices", choices}}
                .dump() +
            "\n";
    }
    for (const std::string& line : split(join_texts(own), '\n')) {
        const auto answer = nlohmann::json::parse(line);
        Forecast& known = known_[questions.at(answer.at("question"))];
        known.baseline = answer.at("textbook");
        for (const auto& each : answer.at("choices"))
            known.choices.push_back({parse_choice(each.at(0)), each.at(1)});
    }
}

const Forecast* Forecaster::find(Question question) const {
    const auto found = known_.find(plain(std::move(question)));
    return found == known_.end() || found->second.choices.empty() ? nullptr : &found->second;
}

std::vector<Tuned> Forecaster::entries(Progress& progress, Clock::time_point until) {
    std::vector<Tuned> list;
    if (!knows() || is_one_subnet(profile_)) return list;
    const auto began = Clock::now();
    // The time may be over before all is answered.
    const auto show = [&](double done) {
        const auto now = Clock::now();
        const Seconds spent = seconds(now - began),
                      all = done > 0 ? spent / done : predicting_time(profile_),
                      until_end = until == Clock::time_point::max() ? all : seconds(until - now);
        progress.update_left(std::clamp(all - spent, 0.0, std::max(0.0, until_end)), "predicting",
                             done == 0);
    };
    show(0);
    struct Asked {
        Question question;
        int ranks_per_host;
    };
    std::vector<Asked> asked;
    std::vector<Question> questions;
    for (const int ranks_per_host : {1, several}) {
        const std::span<const Bytes> sizes =
            ranks_per_host == 1 ? std::span<const Bytes>(predicted_sizes)
                                : std::span<const Bytes>(predicted_sizes_of_several);
        for (const char* order : {"near", "scattered:1"}) {
            const auto host_of = hosts_in_order(profile_, ranks_per_host, order);
            for (const Operation operation : operations())
                for (const Bytes bytes : sizes) {
                    if (!traits(operation).size_known ||
                        (operation == Operation::barrier && bytes != sizes.front()))
                        continue;
                    asked.push_back({{operation, bytes, host_of}, ranks_per_host});
                    questions.push_back(asked.back().question);
                }
        }
    }
    answer(questions, until, show);
    for (const auto& [question, ranks_per_host] : asked) {
        const Forecast* found = find(question);
        if (!found) continue;
        const Predicted& best = found->choices.front();
        list.push_back({any_library, std::string(traits(question.operation).name),
                        layout_name(build_hierarchy(profile_, question.host_of)),
                        question.operation == Operation::barrier ? 0 : question.bytes,
                        to_text(best.choice), found->baseline, best.time, 0, ranks_per_host, true});
    }
    return list;
}

}  // namespace eco
