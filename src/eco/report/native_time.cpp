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

std::optional<double> ratio_of(const std::vector<LearnedClass>& classes, const CallKind& kind) {
    const std::string wanted = without_segments(kind.choice);
    const std::string layout = kind.near ? "near" : "scattered";
    for (const LearnedClass& each : classes) {
        if (each.operation != kind.operation || each.layout != layout ||
            each.hosts_shared != kind.hosts_shared || each.ranks != kind.ranks ||
            each.bytes != kind.learned)
            continue;
        double native = 0, choice = 0;
        for (const LearnedArm& arm : each.arms) {
            if (arm.runs == 0) continue;
            if (arm.choice == "native")
                native = arm.mean;
            else if (without_segments(arm.choice) == wanted)
                choice = arm.mean;
        }
        if (native > 0 && choice > 0) return native / choice;
    }
    return std::nullopt;
}

// Between the two sizes next to it in proportion to the logarithm of the size; beyond the least or
// greatest as there.
std::optional<double> ratio_of(const std::vector<Tuned>& tuning, const CallKind& kind,
                               bool predicted) {
    const std::string layout = kind.near ? "near" : "scattered";
    const Tuned *below = nullptr, *above = nullptr;
    for (const Tuned& each : tuning) {
        if (each.operation != kind.operation || (each.ranks_per_host > 1) != kind.hosts_shared ||
            each.layout != layout || (each.bytes < 0) != (kind.bytes < 0) ||
            for_any_library(each) != predicted || each.choice == "native" || each.native <= 0 ||
            each.eco <= 0)
            continue;
        if (each.bytes <= kind.bytes && (!below || each.bytes > below->bytes)) below = &each;
        if (each.bytes >= kind.bytes && (!above || each.bytes < above->bytes)) above = &each;
    }
    if (!below && !above) return std::nullopt;
    const auto ratio = [](const Tuned& tuned) { return tuned.native / tuned.eco; };
    if (!below || !above || below == above) return ratio(below ? *below : *above);
    const auto size = [](Bytes bytes) {
        return std::log(static_cast<double>(std::max<Bytes>(bytes, 1)));
    };
    if (above->bytes == below->bytes) return ratio(*below);
    const double part =
        (size(kind.bytes) - size(below->bytes)) / (size(above->bytes) - size(below->bytes));
    return ratio(*below) + std::clamp(part, 0.0, 1.0) * (ratio(*above) - ratio(*below));
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
    if (kind.choice == "native") return {1, Basis::ran};
    if (const auto ratio = ratio_of(now, kind)) return {*ratio, Basis::job};
    if (const auto ratio = ratio_of(tuning, kind, false)) return {*ratio, Basis::earlier};
    if (const auto ratio = ratio_of(before, kind)) return {*ratio, Basis::earlier};
    if (const auto ratio = ratio_of(tuning, kind, true)) return {*ratio, Basis::model};
    return {};
}

}  // namespace eco
