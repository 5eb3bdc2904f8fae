// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/options.h"

#include <charconv>
#include <cmath>

#include "eco/base/error.h"
#include "eco/base/text.h"
#include "eco/base/written.h"
#include "eco/schedule/collective.h"

namespace eco {

namespace {

// In seconds. A visit to a pair of hosts far apart may take one.
constexpr Seconds shortest_budget = 1, usual_budget = 60, longest_budget = 86400;

std::vector<std::string> items_of(const std::string& text) {
    std::vector<std::string> items = split(text, ',');
    std::erase(items, "");
    return items;
}

// A choice has commas of its own: "tree:top=star,inner=k2" is one pattern.
std::vector<std::string> split_patterns(const std::string& text) {
    std::vector<std::string> patterns;
    for (const auto& item : items_of(text)) {
        if (!patterns.empty() && item.find('=') != std::string::npos &&
            item.find(':') == std::string::npos)
            patterns.back() += "," + item;
        else
            patterns.push_back(item);
    }
    return patterns;
}

double number(const std::string& name, const std::string& text, double least, double most) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() ||
        !(value >= least && value <= most)) {
        throw Error(Code::usage, name + " " + text + ": must be a number from " + written(least) +
                                     " to " + written(most));
    }
    return value;
}

// Of those without a value: sets what it says.
bool is_switch(const std::string& name, Options& options) {
    if (name == "--no-tune")
        options.tune = false;
    else if (name == "--no-multicast")
        options.multicast = false;
    else if (name == "--facts")
        options.facts = true;
    else if (name == "--collectives")
        options.collectives = true;
    else if (name == "--all-pairs")
        options.all_pairs = true;
    else
        return false;
    return true;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    if (arguments.empty())
        throw Error(Code::usage,
                    "eco probe needs a command: measure, tune, bench, uplinks or reach");
    options.verb = arguments[0];
    if (options.verb != "measure" && options.verb != "tune" && options.verb != "bench" &&
        options.verb != "uplinks" && options.verb != "reach")
        throw Error(Code::usage,
                    "eco probe " + options.verb +
                        ": unknown command; choose from measure, tune, bench, uplinks and reach");
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        if (is_switch(name, options)) continue;
        if (i + 1 == arguments.size())
            throw Error(Code::usage, name + " is unknown or has no value");
        const std::string& value = arguments[++i];
        if (name == "--sizes") {
            for (const auto& item : items_of(value))
                options.sizes.push_back(static_cast<Bytes>(number(name, item, 1, 1e10)));
        } else if (name == "--round-trips") {
            options.round_trips = static_cast<int>(number(name, value, 1, 1e6));
        } else if (name == "--repeats") {
            options.repeats = static_cast<int>(number(name, value, 1, 1e6));
        } else if (name == "--partition-bytes") {
            options.partition_bytes = static_cast<Bytes>(number(name, value, 1, 1e10));
        } else if (name == "--tolerance") {
            options.tolerance = number(name, value, 0, 9);
        } else if (name == "--budget") {
            options.budget = number(name, value, 0.01, 1e6);
        } else if (name == "--within") {
            options.within = number(name, value, shortest_budget, longest_budget);
        } else if (name == "--launched") {
            options.launched = number(name, value, 0, 1e12);
        } else if (name == "--profile" && value == "-") {
            options.profile_on_stdin = true;
        } else if (name == "--partial" && value == "-") {
            options.partial_on_stdin = true;
        } else if (name == "--interfaces") {
            options.interfaces = items_of(value);
        } else if (name == "--hosts") {
            options.hosts = value;
        } else if (name == "--port") {
            options.port = static_cast<int>(number(name, value, 1, 65535));
        } else if (name == "--libmpi") {
            options.libmpi = value;
        } else if (name == "--operations") {
            for (const auto& operation : items_of(value))
                options.operations.push_back(parse_operation(operation));
        } else if (name == "--patterns") {
            options.patterns = split_patterns(value);
        } else if (name == "--form") {
            options.form = parse_call_form(value);
        } else if (name == "--order") {
            options.order = value;
            if (value == "near" || value == "launched") continue;
            if (!value.starts_with("scattered:"))
                throw Error(Code::usage,
                            "--order " + value + ": must be launched, near or scattered:SEED");
            number(name, value.substr(10), 0, 1e9);
        } else {
            throw Error(Code::usage, "eco probe has no option " + name);
        }
    }
    if (options.verb == "measure" && options.tune && options.within == 0)
        options.within = usual_budget;
    return options;
}

}  // namespace eco
