// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/learned.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "eco/base/error.h"
#include "eco/base/written.h"

namespace eco {

using nlohmann::json;

namespace {

// Earlier runs weigh no more than so many of the newest.
constexpr long most_remembered = 64;

// Times that differ by more are of another network.
constexpr double changed = 1.3;

// Classes of non-blocking calls in a file, of all programs.
constexpr long most_of_programs = 1000;

// Classes of neighbourhood collectives in a file, of all graphs: each job may have others.
constexpr long most_of_graphs = 200;

LearnedArm read_arm(const json& entry) {
    LearnedArm arm{entry.at("choice"), entry.at("runs"), entry.at("mean")};
    if (arm.runs < 0 || !(arm.mean >= 0 && arm.mean < 1e6))
        throw json::other_error::create(0, "a number is out of range", nullptr);
    return arm;
}

LearnedClass read_class(const json& entry) {
    LearnedClass found;
    entry.at("mpi").get_to(found.mpi);
    entry.at("operation").get_to(found.operation);
    entry.at("layout").get_to(found.layout);
    entry.at("hosts_shared").get_to(found.hosts_shared);
    entry.at("ranks").get_to(found.ranks);
    entry.at("bytes").get_to(found.bytes);
    entry.at("best").get_to(found.best);
    for (const json& arm : entry.at("arms")) found.arms.push_back(read_arm(arm));
    if (!found.blocks()) found.program = entry.value("program", "");
    found.graph = entry.value("graph", "");
    found.structure = entry.value("structure", "");
    return found;
}

void merge_arm(std::vector<LearnedArm>& known, const LearnedArm& fresh) {
    if (fresh.runs == 0) return;
    const auto old = std::find_if(known.begin(), known.end(), [&](const LearnedArm& each) {
        return each.choice == fresh.choice;
    });
    if (old == known.end()) {
        known.push_back(fresh);
        return;
    }
    const double ratio = old->mean > 0 ? fresh.mean / old->mean : 0;
    if (ratio > changed || ratio < 1 / changed) {
        *old = fresh;
        return;
    }
    const auto before = static_cast<double>(old->runs), after = static_cast<double>(fresh.runs);
    old->mean = (before * old->mean + after * fresh.mean) / (before + after);
    old->runs = std::min(old->runs + fresh.runs, most_remembered);
}

// Times of non-blocking calls hold the program's work beside them, so those of different inputs
// cannot be compared. Earlier times are forgotten if several choices were timed now, or if the one
// that was takes another time than before.
void forget_other_work(LearnedClass& known, const LearnedClass& fresh) {
    if (known.blocks()) return;
    const auto timed = std::count_if(fresh.arms.begin(), fresh.arms.end(),
                                     [](const LearnedArm& arm) { return arm.runs > 0; });
    const auto differs = [&](const LearnedArm& arm) {
        const auto old = std::find_if(known.arms.begin(), known.arms.end(),
                                      [&](const auto& each) { return each.choice == arm.choice; });
        if (arm.runs == 0 || old == known.arms.end()) return false;
        return arm.mean > changed * old->mean || arm.mean * changed < old->mean;
    };
    if (timed > 1 || std::any_of(fresh.arms.begin(), fresh.arms.end(), differs)) known.arms.clear();
}

// The oldest of a kind are forgotten.
template <typename Kind>
void limit(std::vector<LearnedClass>& classes, long most, Kind is_of_kind) {
    auto left = std::count_if(classes.begin(), classes.end(), is_of_kind);
    std::erase_if(classes,
                  [&](const LearnedClass& each) { return is_of_kind(each) && left-- > most; });
}

std::string family(const std::string& mpi) { return mpi.substr(0, mpi.find(' ')); }

}  // namespace

bool LearnedClass::same_calls(const LearnedClass& other) const {
    return mpi == other.mpi && operation == other.operation && layout == other.layout &&
           hosts_shared == other.hosts_shared && ranks == other.ranks && bytes == other.bytes &&
           program == other.program && graph == other.graph && structure == other.structure;
}

Learned parse_learned(const std::string& text, const std::string& origin) {
    const auto refuse = [&](const std::string& why) {
        return Error(Code::bad_input,
                     origin + ": " + why + "; it stays unchanged, 'eco learn --forget' removes it");
    };
    json root;
    try {
        root = json::parse(text);
    } catch (const json::exception&) {
        throw refuse("not a complete learned file");
    }
    if (!root.is_object() || !root.contains("eco_learned"))
        throw refuse("not a learned file of ECO");
    if (root["eco_learned"] != learned_version)
        throw refuse("is of version " + written(root["eco_learned"]) + ", this ECO reads " +
                     std::to_string(learned_version));
    try {
        Learned learned;
        root.at("network").get_to(learned.network);
        for (const json& entry : root.at("classes")) learned.classes.push_back(read_class(entry));
        return learned;
    } catch (const json::exception& error) {
        throw refuse("has an invalid entry");
    }
}

std::string to_json(const Learned& learned) {
    json classes = json::array();
    for (const LearnedClass& each : learned.classes) {
        json arms = json::array();
        for (const LearnedArm& arm : each.arms)
            arms.push_back({{"choice", arm.choice}, {"runs", arm.runs}, {"mean", arm.mean}});
        json& entry = classes.emplace_back(json{{"mpi", each.mpi},
                                                {"operation", each.operation},
                                                {"layout", each.layout},
                                                {"hosts_shared", each.hosts_shared},
                                                {"ranks", each.ranks},
                                                {"bytes", each.bytes},
                                                {"best", each.best},
                                                {"arms", arms}});
        if (!each.program.empty()) entry["program"] = each.program;
        if (!each.graph.empty()) entry["graph"] = each.graph;
        if (!each.structure.empty()) entry["structure"] = each.structure;
    }
    return json{
               {"eco_learned", learned_version}, {"network", learned.network}, {"classes", classes}}
               .dump(1) +
           "\n";
}

json short_json(const std::vector<LearnedClass>& classes) {
    json list = json::array();
    for (const LearnedClass& each : classes) {
        json arms = json::array();
        for (const LearnedArm& arm : each.arms)
            arms.push_back({arm.choice, arm.runs, static_cast<float>(arm.mean)});
        list.push_back({each.operation, each.layout == "near", each.hosts_shared, each.ranks,
                        each.bytes, arms, each.graph, each.structure});
    }
    return list;
}

std::vector<LearnedClass> read_short(const json& list, const std::string& library) {
    std::vector<LearnedClass> classes;
    for (const json& entry : list) {
        LearnedClass& found = classes.emplace_back();
        found.mpi = library;
        entry.at(0).get_to(found.operation);
        found.layout = entry.at(1).get<bool>() ? "near" : "scattered";
        entry.at(2).get_to(found.hosts_shared);
        entry.at(3).get_to(found.ranks);
        entry.at(4).get_to(found.bytes);
        for (const json& arm : entry.at(5)) found.arms.push_back({arm.at(0), arm.at(1), arm.at(2)});
        entry.at(6).get_to(found.graph);
        entry.at(7).get_to(found.structure);
    }
    return classes;
}

void merge(Learned& known, const Learned& fresh) {
    if (known.network != fresh.network) known.classes.clear();
    known.network = fresh.network;
    for (const LearnedClass& each : fresh.classes) {
        std::erase_if(known.classes, [&](const LearnedClass& old) {
            return old.mpi != each.mpi && family(old.mpi) == family(each.mpi);
        });
        const auto old =
            std::find_if(known.classes.begin(), known.classes.end(),
                         [&](const LearnedClass& other) { return other.same_calls(each); });
        if (old == known.classes.end()) {
            known.classes.push_back(each);
            std::erase_if(known.classes.back().arms,
                          [](const LearnedArm& arm) { return arm.runs == 0; });
            continue;
        }
        forget_other_work(*old, each);
        for (const LearnedArm& arm : each.arms) merge_arm(old->arms, arm);
        const auto quickest = std::min_element(
            old->arms.begin(), old->arms.end(),
            [](const LearnedArm& a, const LearnedArm& b) { return a.mean < b.mean; });
        if (quickest != old->arms.end()) old->best = quickest->choice;
        std::rotate(old, old + 1, known.classes.end());  // the newest last
    }
    // So that many programs, or graphs, do not fill the file.
    limit(known.classes, most_of_programs, [](const LearnedClass& each) { return !each.blocks(); });
    limit(known.classes, most_of_graphs,
          [](const LearnedClass& each) { return !each.graph.empty(); });
}

}  // namespace eco
