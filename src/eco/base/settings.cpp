// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/settings.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace eco {

static const char* of_process(const char* name) { return std::getenv(name); }

static bool read_flag(const Environment& environment, const char* name, bool otherwise,
                      std::vector<std::string>& complaints) {
    const char* text = environment(name);
    if (!text || !*text) return otherwise;
    const std::string value = text;
    if (value == "1" || value == "yes" || value == "on" || value == "true") return true;
    if (value == "0" || value == "no" || value == "off" || value == "false") return false;
    complaints.push_back(std::string(name) + "=" + value +
                         " is ignored: must be on or off (or 1 or 0)");
    return otherwise;
}

Settings read_settings(const Environment& environment) {
    Settings settings;
    auto& complaints = settings.complaints;
    settings.enabled = !read_flag(environment, "ECO_DISABLE", false, complaints);
    settings.keep_order = read_flag(environment, "ECO_KEEP_ORDER", false, complaints);
    settings.multicast = read_flag(environment, "ECO_MULTICAST", true, complaints);
    settings.checks_network = read_flag(environment, "ECO_NETWORK_CHECK", true, complaints);
    if (const char* text = environment("ECO_VERBOSE"); text && *text) {
        const std::string value = text;
        if (value.size() == 1 && value[0] >= '0' && value[0] <= '2')
            settings.verbose = value[0] - '0';
        else
            complaints.push_back("ECO_VERBOSE=" + value + " is ignored: must be 0, 1 or 2");
    }
    if (const char* text = environment("ECO_NONBLOCKING"); text && *text) {
        const std::string value = text;
        if (value == "off" || value == "0")
            settings.nonblocking = Nonblocking::off;
        else if (value == "expected")
            settings.nonblocking = Nonblocking::expected;
        else if (value != "on" && value != "1")
            complaints.push_back("ECO_NONBLOCKING=" + value +
                                 " is ignored: must be on, expected or off");
    }
    if (const char* text = environment("ECO_LEARN"); text && *text) {
        const std::string value = text;
        if (value == "off" || value == "0")
            settings.learn = Learn::off;
        else if (value == "settled")
            settings.learn = Learn::settled;
        else if (value == "all")
            settings.learn = Learn::all;
        else if (value != "on" && value != "1")
            complaints.push_back("ECO_LEARN=" + value +
                                 " is ignored: must be on, all, settled or off");
    }
    if (const char* text = environment("ECO_REORDER"); text && *text) {
        const std::string value = text;
        if (value == "on" || value == "1")
            settings.reorder = Reorder::on;
        else if (value != "native" && value != "off" && value != "0")
            complaints.push_back("ECO_REORDER=" + value + " is ignored: must be native or on");
    }
    if (const char* text = environment("ECO_BEGIN"); text && *text && !begins_later(environment))
        complaints.push_back(std::string("ECO_BEGIN=") + text + " is ignored: must be later");
    if (const char* text = environment("ECO_PROFILE")) settings.profile = text;
    if (const char* text = environment("ECO_REPORT")) settings.report = text;
    if (const char* text = environment("ECO_CHOICE"); text && *text) {
        const std::string value = text;
        // It goes into messages, which must stay text.
        if (std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; }))
            settings.choice = value;
        else
            complaints.emplace_back(
                "ECO_CHOICE is ignored: it has characters that no choice has; use auto, native, "
                "eco "
                "or a choice");
    }
    return settings;
}

bool begins_later(const Environment& environment) {
    const char* text = environment("ECO_BEGIN");
    return text && std::string_view(text) == "later";
}

bool begins_later() { return begins_later(of_process); }

Settings read_settings() { return read_settings(of_process); }

std::string profile_store(const Environment& environment) {
    if (const char* data = environment("XDG_DATA_HOME"); data && *data)
        return std::string(data) + "/eco/profiles";
    const char* home = environment("HOME");
    return std::string(home ? home : "") + "/.local/share/eco/profiles";
}

std::string profile_store() { return profile_store(of_process); }

std::vector<std::string> profile_folders(const Environment& environment) {
    std::vector<std::string> folders = {profile_store(environment)};
    if (const char* text = environment("ECO_PROFILE_PATH")) {
        const std::string path = text;
        for (std::size_t start = 0; start < path.size();) {
            const std::size_t end = std::min(path.find(':', start), path.size());
            if (end > start) folders.push_back(path.substr(start, end - start));
            start = end + 1;
        }
    }
    folders.emplace_back("/etc/eco/profiles");
    return folders;
}

std::vector<std::string> profile_folders() { return profile_folders(of_process); }

}  // namespace eco
