// SPDX-License-Identifier: BSD-3-Clause
// Bytes that this host's network interfaces have carried, by the kernel's counters, in the caller's
// network namespace: what is not ECO's is others' traffic. No privilege is needed. Libraries that
// bypass the kernel (verbs) are not counted. Called while a network is measured.
#pragma once

#include <map>
#include <string>

namespace eco {

struct NicBytes {
    double sent = 0, received = 0;
};

// By interface, since the system started; not the loopback. Empty where the kernel does not tell.
using NicCounters = std::map<std::string, NicBytes>;
NicCounters nic_counters();

// From the text of /proc/net/dev.
NicCounters nic_counters_of(const std::string& text);

// Between two looks, of the interface that carried most: bonds and bridges count again what their
// parts carry.
NicBytes carried(const NicCounters& before, const NicCounters& after);

}  // namespace eco
