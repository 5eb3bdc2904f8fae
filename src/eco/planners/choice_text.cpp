// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/choice_text.h"

#include "eco/base/error.h"
#include "eco/base/text.h"
#include "eco/base/written.h"
#include "eco/planners/family.h"

namespace eco {

static std::string_view name_of(On on) {
    switch (on) {
        case On::levels:
            return "levels";
        case On::groups:
            return "groups";
        case On::ranks:
            return "ranks";
        case On::ring:
            return "ring";
    }
    return "";
}

std::string to_text(const Choice& choice) {
    std::string list;
    const auto add = [&](std::string_view key, const std::string& value) {
        list += (list.empty() ? ":" : ",") + std::string(key) + "=" + value;
    };
    const auto count = [&](std::string_view key, int value) {
        if (value != 0) add(key, std::to_string(value));
    };
    const PlannerFamily& family = planner_family(choice);
    // The order of old: profiles and tests compare texts.
    const auto write = [&](bool shape) {
        if (family.write)
            family.write(choice, [&](std::string_view key, const std::string& value) {
                if ((key == "top" || key == "inner") == shape) add(key, value);
            });
    };
    write(true);
    count("segments", choice.segments);
    count("window", choice.window);
    count("ports", choice.ports);
    write(false);
    count("rails", choice.rails);
    // The bare words name the topology-unaware baselines, which see contiguous ranks.
    if (choice.on != On::levels || choice.family() == Family::ring ||
        choice.family() == Family::butterfly)
        add("on", std::string(name_of(choice.on)));
    return std::string(family.name) + list;
}

int read_count(std::string_view key, const std::string& value, int most) {
    if (value.empty() || value.size() > 6 ||
        value.find_first_not_of("0123456789") != std::string::npos || std::stoi(value) > most)
        throw Error(Code::usage, std::string(key) + "=" + on_one_line(value) + " in a choice: " +
                                     std::string(key) + " must be 0 to " + std::to_string(most));
    return std::stoi(value);
}

void write_rotate(Rotate rotate, const WriteParameter& write) {
    if (rotate != Rotate::none) write("rotate", rotate == Rotate::all ? "all" : "groups");
}

bool read_rotate(std::string_view key, const std::string& value, Rotate& rotate) {
    if (key != "rotate" || (value != "all" && value != "groups")) return false;
    rotate = value == "all" ? Rotate::all : Rotate::groups;
    return true;
}

void write_inner(Form inner, bool native_inside, const WriteParameter& write) {
    write("inner", native_inside ? "native" : to_text(inner));
}

bool read_inner(std::string_view key, const std::string& value, Form& inner, bool& native_inside) {
    if (key != "inner") return false;
    if (value == "native")
        native_inside = true;
    else
        inner = parse_form(value);
    return true;
}

static bool read_on(const std::string& value, On& on) {
    for (const On each : {On::levels, On::groups, On::ranks, On::ring}) {
        if (name_of(each) != value) continue;
        on = each;
        return true;
    }
    return false;
}

static bool read_shared(std::string_view key, const std::string& value, Choice& choice) {
    if (key == "segments")
        choice.segments = read_count(key, value, 4096);
    else if (key == "window")
        choice.window = read_count(key, value, 4096);
    else if (key == "ports")
        choice.ports = read_count(key, value, 64);
    else if (key == "rails")
        choice.rails = read_count(key, value, 16);
    else if (key == "on")
        return read_on(value, choice.on);
    else
        return false;
    return true;
}

// k2, star, ring and so on: on contiguous ranks.
static bool is_pattern(const std::string& text, Choice& choice) {
    if (text == "ring" || text == "butterfly") {
        choice = Choice(text == "ring" ? Family::ring : Family::butterfly);
    } else {
        try {
            choice = Choice(TreeParameters{.inner = parse_form(text)}, 0);
        } catch (const Error&) {
            return false;
        }
    }
    choice.on = On::ranks;
    return true;
}

static Choice choice_of_family(std::string_view name, const std::string& text) {
    std::string names;
    const auto families = planner_families();
    for (std::size_t index = 0; index < families.size(); ++index) {
        if (families[index]->name == name) return Choice(static_cast<Family>(index));
        names += (names.empty() ? "" : ", ") + std::string(families[index]->name);
    }
    throw Error(Code::usage, "'" + on_one_line(text) + "' is an unknown choice; choose from " +
                                 names +
                                 " and the patterns k2, k3, star, chain, binomial, ring, "
                                 "butterfly");
}

static void check_straight(const Choice& choice, const std::string& text) {
    if (choice.straight() == 0) return;
    const auto* exchange = std::get_if<ExchangeParameters>(&choice.parameters);
    if (exchange ? exchange->split
                 : choice.rotates() && choice.top().shape == Shape::relay && !is_flat(choice.on))
        return;
    throw Error(Code::usage, "'" + on_one_line(text) +
                                 "' is not valid: straight is for tree with top=relay and rotate, "
                                 "not on ranks or ring, and for exchange with split");
}

static void check_levels(const Choice& choice, const std::string& text) {
    if (!choice.below().empty() && choice.native_inside())
        throw Error(Code::usage, "'" + on_one_line(text) +
                                     "' is not valid: top with a shape for each level is for tree "
                                     "without inner=native");
    if (choice.native_inside() && (choice.on != On::levels || choice.rotate() == Rotate::all))
        throw Error(Code::usage, "'" + on_one_line(text) +
                                     "' is not valid: inner=native is for tree and exchange on "
                                     "levels, without rotate=all");
}

Choice parse_choice(const std::string& text) {
    Choice choice;
    if (is_pattern(text, choice)) return choice;
    const auto colon = text.find(':');
    choice = choice_of_family(std::string_view(text).substr(0, colon), text);
    if (colon == std::string::npos) return choice;
    const PlannerFamily& family = planner_family(choice);
    for (const std::string& item : split(std::string_view(text).substr(colon + 1), ',')) {
        const auto equals = item.find('=');
        const std::string key = item.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
        if (read_shared(key, value, choice)) continue;
        if (family.read && family.read(key, value, choice)) continue;
        throw Error(Code::usage,
                    "'" + on_one_line(item) + "' is unknown in a choice of " +
                        std::string(family.name) + "; its keys are " + std::string(family.keys) +
                        (family.keys.empty() ? "" : ", ") +
                        "segments, window, ports, rails, and on=ranks, on=ring, on=groups "
                        "or on=levels");
    }
    check_levels(choice, text);
    check_straight(choice, text);
    return choice;
}

}  // namespace eco
