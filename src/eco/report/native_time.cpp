// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/native_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "eco/base/error.h"
#include "eco/planners/choice.h"
#include "eco/schedule/collective.h"

namespace eco {

namespace {

constexpr std::array<const char*, 5> names = {"ran natively", "timed in this job", "timed earlier",
                                              "model", "not known"};

// A choice is cut into more segments where messages are longer.
std::string without_segments(const std::string& text) {
    try {
        Choice choice = parse_choice(text);
        choice.segments = 0;
        return to_text(choice);
    } catch (const Error&) {
        return text;
    }
}

std::optional<NativeTime> learned_of(const std::vector<LearnedClass>& classes, const CallKind& kind,
                                     Basis basis) {
    const std::string wanted = without_segments(kind.choice);
    const std::string layout = kind.near ? "near" : "scattered";
    for (const LearnedClass& each : classes) {
        if (each.operation != kind.operation || each.layout != layout ||
            each.hosts_shared != kind.hosts_shared || each.ranks != kind.ranks ||
            each.bytes != kind.learned || !each.graph.empty())
            continue;
        double native = 0, choice = 0;
        for (const LearnedArm& arm : each.arms) {
            if (arm.runs == 0) continue;
            if (arm.choice == "native")
                native = arm.mean;
            else if (without_segments(arm.choice) == wanted)
                choice = arm.mean;
        }
        if (native > 0 && choice > 0) return NativeTime{native / choice, native, choice, basis};
    }
    return std::nullopt;
}

// The entries of the two sizes next to the call's, if they count; the same one beyond the ends.
struct Neighbours {
    const Tuned *below = nullptr, *above = nullptr;

    template <typename Counts>
    Neighbours(const std::vector<Tuned>& tuning, const CallKind& kind, Counts counts) {
        const std::string layout = kind.near ? "near" : "scattered";
        for (const Tuned& each : tuning) {
            if (each.operation != kind.operation ||
                (each.ranks_per_host > 1) != kind.hosts_shared || each.layout != layout ||
                (each.bytes < 0) != (kind.bytes < 0) || each.native <= 0 || each.eco <= 0 ||
                !counts(each))
                continue;
            if (each.bytes <= kind.bytes && (!below || each.bytes > below->bytes)) below = &each;
            if (each.bytes >= kind.bytes && (!above || each.bytes < above->bytes)) above = &each;
        }
        if (!below) below = above;
        if (!above) above = below;
    }
    bool found() const { return below != nullptr; }
};

// In proportion to the logarithm of the size.
double ratio_of(const Neighbours& near, Bytes bytes) {
    const auto ratio = [](const Tuned& tuned) { return tuned.native / tuned.eco; };
    if (near.above->bytes == near.below->bytes) return ratio(*near.below);
    const auto size = [](Bytes value) {
        return std::log(static_cast<double>(std::max<Bytes>(value, 1)));
    };
    const double part = (size(bytes) - size(near.below->bytes)) /
                        (size(near.above->bytes) - size(near.below->bytes));
    return ratio(*near.below) +
           std::clamp(part, 0.0, 1.0) * (ratio(*near.above) - ratio(*near.below));
}

// In proportion to the size: a time is a latency and bytes over a bandwidth. Beyond the greatest
// size, bytes alone; below the least, as there.
Seconds time_of(const Neighbours& near, Bytes bytes, Seconds Tuned::* time) {
    const Seconds below = near.below->*time, above = near.above->*time;
    if (near.above->bytes == near.below->bytes) {
        if (bytes <= near.below->bytes || near.below->bytes <= 0) return below;
        return below * static_cast<double>(bytes) / static_cast<double>(near.below->bytes);
    }
    const double part = static_cast<double>(bytes - near.below->bytes) /
                        static_cast<double>(near.above->bytes - near.below->bytes);
    return below + part * (above - below);
}

std::optional<NativeTime> tuned_of(const std::vector<Tuned>& tuning, const CallKind& kind,
                                   bool for_any) {
    const auto of_library = [&](const Tuned& each) { return for_any_library(each) == for_any; };
    const Neighbours ratios(tuning, kind, [&](const Tuned& each) {
        return of_library(each) && each.choice != "native";
    });
    if (!ratios.found()) return std::nullopt;
    const auto guessed = [](const Neighbours& near) {
        return near.below->predicted || near.above->predicted;
    };
    NativeTime result{ratio_of(ratios, kind.bytes), 0, 0, Basis::earlier};
    bool model = for_any || guessed(ratios);
    if (model) result.basis = Basis::model;
    // An entry for all sizes has the times of one of them, which says nothing about a call's.
    if (kind.bytes < 0) return result;
    // Times hold for as many ranks as they were taken with; a ratio does about as well for others.
    const Neighbours times(tuning, kind, [&](const Tuned& each) {
        return of_library(each) && each.ranks_per_host == kind.everywhere;
    });
    if (times.found()) {
        result.native = time_of(times, kind.bytes, &Tuned::native);
        result.eco = time_of(times, kind.bytes, &Tuned::eco);
        model = for_any || guessed(times);
    }
    if (model) result.basis = Basis::model;
    return result;
}

}  // namespace

const char* to_text(Basis basis) { return names.at(static_cast<std::size_t>(basis)); }

Basis parse_basis(const std::string& text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) throw Error(Code::bad_input, "'" + text + "' is an unknown basis");
    return static_cast<Basis>(found - names.begin());
}

NativeTime native_time(const CallKind& kind, const std::vector<LearnedClass>& now,
                       const std::vector<LearnedClass>& before, const std::vector<Tuned>& tuning) {
    if (kind.choice == "native") return {1, 0, 0, Basis::ran};
    if (const auto found = learned_of(now, kind, Basis::job)) return *found;
    if (const auto found = tuned_of(tuning, kind, false)) return *found;
    // Of another job's ranks and program the ratio says more than the times.
    if (const auto found = learned_of(before, kind, Basis::earlier))
        return {found->ratio, 0, 0, found->basis};
    if (const auto found = tuned_of(tuning, kind, true)) return *found;
    return {};
}

}  // namespace eco
