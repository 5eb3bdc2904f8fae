#include "eco/plan/choice.h"

#include <array>
#include <sstream>
#include <utility>

#include "eco/base/error.h"

namespace eco {

static constexpr std::array<std::pair<Family, const char*>, 8> family_names{
    {{Family::native, "native"},
     {Family::tree, "tree"},
     {Family::exchange, "exchange"},
     {Family::ring, "ring"},
     {Family::butterfly, "butterfly"},
     {Family::direct, "direct"},
     {Family::index, "index"},
     {Family::ordered, "ordered"}}};

// From the widest level down: "star/postal3".
static std::string top_text(const Choice& choice) {
    std::string text = to_text(choice.top);
    for (const Form& form : choice.below) text += "/" + to_text(form);
    return text;
}

static void parse_top(const std::string& text, Choice& choice) {
    std::istringstream list(text);
    std::vector<Form> forms;
    for (std::string item; std::getline(list, item, '/');) forms.push_back(parse_form(item));
    if (forms.empty() || text.ends_with('/')) forms = {parse_form("")};
    choice.top = forms.front();
    choice.below.assign(forms.begin() + 1, forms.end());
}

std::string to_text(const Choice& choice) {
    std::string text;
    for (const auto& [family, name] : family_names)
        if (family == choice.family) text = name;
    const bool has_tree = choice.family == Family::tree || choice.family == Family::exchange;
    std::string list;
    const auto add = [&](const std::string& key, const std::string& value) {
        list += (list.empty() ? ":" : ",") + key + "=" + value;
    };
    if ((choice.family == Family::tree && !choice.on_ranks) ||
        (choice.native_inside && choice.top != Form{}))
        add("top", top_text(choice));
    if (has_tree) add("inner", choice.native_inside ? "native" : to_text(choice.inner));
    if (choice.segments != 0) add("segments", std::to_string(choice.segments));
    if (choice.window != 0) add("window", std::to_string(choice.window));
    if (choice.ports != 0) add("ports", std::to_string(choice.ports));
    if (choice.split) add("split", "1");
    if (choice.carriers != 0) add("carriers", std::to_string(choice.carriers));
    if (choice.rotates()) add("rotate", choice.rotate == Choice::Rotate::all ? "all" : "groups");
    if (choice.rails != 0) add("rails", std::to_string(choice.rails));
    if (choice.on_ranks) add("on", "ranks");
    // The bare words name the textbook patterns, which see ranks in a row.
    else if (choice.family == Family::ring || choice.family == Family::butterfly)
        add("on", "levels");
    return text + list;
}

static int parse_count(const std::string& key, const std::string& value, int most) {
    if (value.empty() || value.size() > 6 ||
        value.find_first_not_of("0123456789") != std::string::npos || std::stoi(value) > most)
        throw Error(Code::usage, key + "=" + value + " in a choice: " + key + " takes 0 to " +
                                     std::to_string(most));
    return std::stoi(value);
}

static bool is_pattern(const std::string& text, Choice& choice) {
    if (text == "ring" || text == "butterfly") {
        choice.family = text == "ring" ? Family::ring : Family::butterfly;
    } else {
        try {
            choice.inner = parse_form(text);
        } catch (const Error&) {
            return false;
        }
        choice.family = Family::tree;
    }
    choice.on_ranks = true;
    choice.segments = 0;
    return true;
}

Choice parse_choice(const std::string& text) {
    Choice choice;
    if (is_pattern(text, choice)) return choice;
    const auto colon = text.find(':');
    const std::string head = text.substr(0, colon);
    bool known = false;
    for (const auto& [family, name] : family_names)
        if (head == name) {
            choice.family = family;
            known = true;
        }
    if (!known)
        throw Error(Code::usage,
                    "'" + text +
                        "' is no choice; there are native, tree, exchange, ring, "
                        "butterfly, direct, index, ordered and the patterns k2, k3, star, "
                        "chain, binomial, ring, butterfly");
    if (colon == std::string::npos) return choice;
    std::istringstream list(text.substr(colon + 1));
    for (std::string item; std::getline(list, item, ',');) {
        const auto equals = item.find('=');
        const std::string key = item.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
        if (key == "top")
            parse_top(value, choice);
        else if (key == "inner" && value == "native")
            choice.native_inside = true;
        else if (key == "inner")
            choice.inner = parse_form(value);
        else if (key == "segments")
            choice.segments = parse_count(key, value, 4096);
        else if (key == "window")
            choice.window = parse_count(key, value, 4096);
        else if (key == "ports")
            choice.ports = parse_count(key, value, 64);
        else if (key == "rails")
            choice.rails = parse_count(key, value, 16);
        else if (key == "split")
            choice.split = parse_count(key, value, 1) == 1;
        else if (key == "carriers")
            choice.carriers = parse_count(key, value, 4096);
        else if (key == "rotate" && (value == "all" || value == "groups"))
            choice.rotate = value == "all" ? Choice::Rotate::all : Choice::Rotate::groups;
        else if (key == "on" && (value == "ranks" || value == "levels"))
            choice.on_ranks = value == "ranks";
        else
            throw Error(Code::usage, "'" + item +
                                         "' in a choice is not known; keys are top, inner, "
                                         "segments, window, ports, rails, split=1, carriers, "
                                         "rotate=all, rotate=groups, on=ranks and on=levels");
    }
    const bool has_speakers = !choice.on_ranks && choice.rotate != Choice::Rotate::all &&
                              (choice.family == Family::tree || choice.family == Family::exchange);
    if (!choice.below.empty() && (choice.family != Family::tree || choice.native_inside))
        throw Error(Code::usage, "'" + text +
                                     "' is no choice: top with a shape for each level is for tree "
                                     "without inner=native");
    if (choice.native_inside && !has_speakers)
        throw Error(Code::usage, "'" + text +
                                     "' is no choice: inner=native is for tree and exchange on "
                                     "levels, without rotate=all");
    return choice;
}

}  // namespace eco
